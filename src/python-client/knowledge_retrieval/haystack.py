"""The service as a retriever of Haystack."""

from typing import Any, Dict, List, Optional

from ._async import AsyncKnowledgeRetrieval
from ._core.frameworks import facts_of, find, find_async, missing
from ._sync import KnowledgeRetrieval
from .types import SearchResult

# Haystack reads the annotations of `run`: they have to be types here, and not texts.
try:
    from haystack import Document, component, default_from_dict, default_to_dict
except ImportError as error:
    raise missing("Haystack", "haystack-ai", "haystack") from error


@component
class KnowledgeRetriever:
    """Returns the passages that answer a query best. Without clients: by KNOWLEDGE_URL and KNOWLEDGE_API_KEY."""

    def __init__(
        self,
        client: Optional[KnowledgeRetrieval] = None,
        async_client: Optional[AsyncKnowledgeRetrieval] = None,
        arguments: Optional[Dict[str, Any]] = None,
    ) -> None:
        """`arguments`: those of `query`, such as limit, knowledge_base_ids and filter."""
        self._client = client
        self._async_client = async_client
        self._arguments = arguments or {}

    def to_dict(self) -> Dict[str, Any]:
        """Clients are not written: whoever loads the pipeline has the environment's."""
        return default_to_dict(self, arguments=self._arguments)

    @classmethod
    def from_dict(cls, data: Dict[str, Any]) -> "KnowledgeRetriever":
        return default_from_dict(cls, data)

    @component.output_types(documents=List[Document])
    def run(self, query: str, arguments: Optional[Dict[str, Any]] = None) -> Dict[str, List[Document]]:
        results = find(self._client, query, {**self._arguments, **(arguments or {})})
        return {"documents": [_to_document(result) for result in results]}

    @component.output_types(documents=List[Document])
    async def run_async(self, query: str, arguments: Optional[Dict[str, Any]] = None) -> Dict[str, List[Document]]:
        results = await find_async(self._async_client, query, {**self._arguments, **(arguments or {})})
        return {"documents": [_to_document(result) for result in results]}


def _to_document(result: SearchResult) -> Document:
    return Document(id=result.id, content=result.content, meta=facts_of(result), score=result.score)
