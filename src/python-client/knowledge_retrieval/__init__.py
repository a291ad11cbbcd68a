"""Client of the knowledge retrieval service: see README.md, and `KnowledgeRetrieval`."""

from ._async import AsyncKnowledgeRetrieval
from ._core.pages import AsyncPages, Page, Pages, SearchResults
from ._core.shared import DownloadedFile
from ._core.uploads import UploadProgress, UploadResult, UploadSource, UploadTotals
from ._sync import KnowledgeRetrieval
from .errors import KnowledgeRetrievalError
from .webhooks import verify_webhook

__all__ = [
    "AsyncKnowledgeRetrieval",
    "AsyncPages",
    "DownloadedFile",
    "KnowledgeRetrieval",
    "KnowledgeRetrievalError",
    "Page",
    "Pages",
    "SearchResults",
    "UploadProgress",
    "UploadResult",
    "UploadSource",
    "UploadTotals",
    "verify_webhook",
]
