"""What the modules for frameworks share."""

from __future__ import annotations

from typing import Any

from .._async import AsyncKnowledgeRetrieval
from .._sync import KnowledgeRetrieval
from ..types import SearchResult


def missing(framework: str, package: str, extra: str) -> ImportError:
    return ImportError(f"{framework} is not installed: pip install {package}, or knowledge-retrieval[{extra}].")


def facts_of(result: SearchResult) -> dict[str, Any]:
    """What is known about a passage besides its text: attributes by their own names, then the service's facts."""
    facts = {
        "id": result.id,
        "score": result.score,
        "title": result.title,
        "source": result.source_url or result.title,
        "document_id": result.document_id,
        "knowledge_base_id": result.knowledge_base_id,
        "location": result.location.to_dict() if result.location else None,
    }
    return {**(result.attributes or {}), **{name: value for name, value in facts.items() if value is not None}}


def find(client: KnowledgeRetrieval | None, query: str, arguments: dict[str, Any]) -> list[SearchResult]:
    """With the given client, or one of the environment's variables."""
    if client is not None:
        return client.query(query, **arguments)
    with KnowledgeRetrieval() as own:
        return own.query(query, **arguments)


async def find_async(
    client: AsyncKnowledgeRetrieval | None, query: str, arguments: dict[str, Any]
) -> list[SearchResult]:
    if client is not None:
        return await client.query(query, **arguments)
    async with AsyncKnowledgeRetrieval() as own:
        return await own.query(query, **arguments)
