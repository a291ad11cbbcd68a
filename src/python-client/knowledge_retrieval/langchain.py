"""The service as a retriever of LangChain."""

from __future__ import annotations

from typing import Any, Optional

from ._async import AsyncKnowledgeRetrieval
from ._core.frameworks import facts_of, find, find_async, missing
from ._sync import KnowledgeRetrieval
from .types import SearchResult

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from pydantic import ConfigDict, Field
except ImportError as error:
    raise missing("LangChain", "langchain-core", "langchain") from error


class KnowledgeRetriever(BaseRetriever):
    """Returns the passages that answer a query best. Without clients: by KNOWLEDGE_URL and KNOWLEDGE_API_KEY."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    client: Optional[KnowledgeRetrieval] = None
    async_client: Optional[AsyncKnowledgeRetrieval] = None
    #: How many passages, 1 to 50.
    k: int = 10
    #: Further arguments of `query`, such as knowledge_base_ids and filter.
    arguments: dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **arguments: Any
    ) -> list[Document]:
        return [_to_document(result) for result in find(self.client, query, self._merge(arguments))]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **arguments: Any
    ) -> list[Document]:
        return [_to_document(result) for result in await find_async(self.async_client, query, self._merge(arguments))]

    def _merge(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Those of the call win; `k` is LangChain's word for `limit`."""
        given = dict(arguments)
        return {"limit": given.pop("k", self.k), **self.arguments, **given}


def _to_document(result: SearchResult) -> Document:
    return Document(id=result.id, page_content=result.content, metadata=facts_of(result))
