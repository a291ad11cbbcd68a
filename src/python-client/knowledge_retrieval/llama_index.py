"""The service as a retriever of LlamaIndex."""

from __future__ import annotations

from typing import Any

from ._async import AsyncKnowledgeRetrieval
from ._core.frameworks import facts_of, find, find_async, missing
from ._sync import KnowledgeRetrieval
from .types import SearchResult

try:
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
except ImportError as error:
    raise missing("LlamaIndex", "llama-index-core", "llama-index") from error


class KnowledgeRetriever(BaseRetriever):  # type: ignore[misc] # without the framework its types are unknown
    """Returns the passages that answer a query best. Without clients: by KNOWLEDGE_URL and KNOWLEDGE_API_KEY."""

    def __init__(
        self,
        client: KnowledgeRetrieval | None = None,
        async_client: AsyncKnowledgeRetrieval | None = None,
        **arguments: Any,
    ) -> None:
        """`arguments`: those of `query`, such as limit, knowledge_base_ids and filter."""
        super().__init__()
        self._client = client
        self._async_client = async_client
        self._arguments = arguments

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [_to_node(result) for result in find(self._client, query_bundle.query_str, self._arguments)]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        results = await find_async(self._async_client, query_bundle.query_str, self._arguments)
        return [_to_node(result) for result in results]


def _to_node(result: SearchResult) -> NodeWithScore:
    node = TextNode(id_=result.id, text=result.content, metadata=facts_of(result))
    return NodeWithScore(node=node, score=result.score)
