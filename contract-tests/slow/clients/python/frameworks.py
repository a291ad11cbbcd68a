"""The retrievers of LlamaIndex and Haystack at the service of the environment's variables. Prints what they found."""

import asyncio
import json

from haystack import Pipeline
from knowledge_retrieval import KnowledgeRetrieval
from knowledge_retrieval.haystack import KnowledgeRetriever as HaystackRetriever
from knowledge_retrieval.llama_index import KnowledgeRetriever as LlamaIndexRetriever

with KnowledgeRetrieval() as client:
    KB = client.create_knowledge_base("Frameworks").id
    client.import_text_content(
        knowledge_base_id=KB, title="Hours", content="We open at nine.", attributes={"team": "sales"}
    )

WHERE = {"knowledge_base_ids": [KB]}
QUERY = "When do you open?"


def of_nodes(nodes):
    return [[node.text, node.metadata["team"], node.score > 0] for node in nodes]


def of_documents(documents):
    return [[document.content, document.meta["team"], document.score > 0] for document in documents]


llama_index = LlamaIndexRetriever(**WHERE)
haystack = HaystackRetriever(arguments=WHERE)
pipeline = Pipeline()
pipeline.add_component("retriever", haystack)
loaded = Pipeline.loads(pipeline.dumps())
print(
    json.dumps(
        {
            "llamaIndex": of_nodes(llama_index.retrieve(QUERY)),
            "llamaIndexAsync": of_nodes(asyncio.run(llama_index.aretrieve(QUERY))),
            "haystack": of_documents(loaded.run({"retriever": {"query": QUERY}})["retriever"]["documents"]),
            "haystackAsync": of_documents(asyncio.run(haystack.run_async(QUERY))["documents"]),
        }
    )
)
