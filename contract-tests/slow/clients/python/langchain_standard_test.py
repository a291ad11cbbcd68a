"""The standard tests of LangChain for retrievers, at the service of the environment's variables."""

from __future__ import annotations

from typing import Any

from knowledge_retrieval import KnowledgeRetrieval
from knowledge_retrieval.langchain import KnowledgeRetriever
from langchain_tests.integration_tests import RetrieversIntegrationTests

with KnowledgeRetrieval() as client:
    KB = client.create_knowledge_base("Standard tests").id
    for hour in range(5):
        client.import_text_content(knowledge_base_id=KB, title=f"Hours {hour}", content=f"Shop {hour} opens at nine.")


class TestKnowledgeRetriever(RetrieversIntegrationTests):
    @property
    def retriever_constructor(self) -> type[KnowledgeRetriever]:
        return KnowledgeRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"arguments": {"knowledge_base_ids": [KB]}}

    @property
    def retriever_query_example(self) -> str:
        return "When does the shop open?"
