"""Uses every operation, as a program would. Type checkers read it; nobody runs it."""

from __future__ import annotations

from knowledge_retrieval import AsyncKnowledgeRetrieval, KnowledgeRetrieval, UploadProgress
from knowledge_retrieval.types import Document, Filter, KnowledgeBase


def show(progress: UploadProgress) -> None:
    print(progress.file_name, progress.phase, progress.sent_bytes, progress.totals.done)


def use(client: KnowledgeRetrieval) -> None:
    base: KnowledgeBase = client.create_knowledge_base("Manuals", description="All of them")
    text = client.import_text_content(
        knowledge_base_id=base.id, title="Hours", content="We open at nine.", attributes={"year": 2026}
    )
    document = client.upload_file(b"The pump has a valve.", knowledge_base_id=base.id, file_name="pump.txt")
    client.poll_document_status(document.id)
    ticket = client.presign_upload_url(knowledge_base_id=base.id, file_name="late.txt", size=9)
    assert ticket.method == "PUT"
    condition: Filter = {"type": "in", "key": "year", "value": [2025, 2026]}
    results = client.query("When do you open?", knowledge_base_ids=[base.id], filter=condition, highlight=True)
    for result in results:
        print(result.score, result.title, result.location.passage if result.location else None)
    print(results.phrases_as_words, [warning.code for warning in results.warnings])
    titles = {each.title for each in client.list_documents(base.id, filter="year >= 2025")}
    titles |= {each.title for each in client.list_documents(base.id).page()}
    names = [each.name for each in client.list_knowledge_bases(limit=5)]
    passages = [each.content for each in client.list_passages(text.id, from_=1)]
    print(titles, names, passages, client.get_document_content(text.id, limit=10).text)
    print([(each.name, each.types[0].values) for each in client.list_attributes(base.id).attributes])
    print(client.get_document(text.id).created_at, client.get_document_status(text.id, wait_seconds=1).status)
    print(client.get_knowledge_base(base.id).document_count, client.presign_download_url(document.id).download_url)
    client.update_knowledge_base(base.id, name="Handbooks")
    client.update_document(text.id, title="Opening hours")
    client.set_synonyms(groups=[{"terms": ["pump", "compressor"]}], knowledge_base_id=base.id)
    groups = client.get_synonyms(knowledge_base_id=base.id).groups
    client.set_synonyms(groups=groups, knowledge_base_id=base.id)
    key = client.create_key(name="page", scope="search")
    print(key.key, [each.status for each in client.list_keys()], client.revoke_key(key.id).id)
    print(client.create_token(filter='team = "sales"', expires_in=60).expires_at)
    print(client.get_usage().storage_used, client.get_balance().balance)
    print(client.set_query_history(enabled=True).kept_since)
    history = client.list_queries(limit=10)
    print([(each.request, each.result_count, each.duration_ms) for each in history.queries])
    hook = client.create_webhook("https://example.com/hook")
    print(hook.secret, [each.url for each in client.list_webhooks()], client.test_webhook(hook.id).delivered)
    client.delete_webhook(hook.id)
    client.delete_document(text.id)
    client.delete_knowledge_base(base.id)


def use_the_rest(client: KnowledgeRetrieval, file_id: str, failed: Document) -> None:
    client.import_file(file_id, external_id="a", if_unchanged="skip")
    client.import_url(knowledge_base_id=failed.id, url="https://example.com/manual.pdf")
    client.retry_document(failed.id)


async def use_async(client: AsyncKnowledgeRetrieval) -> None:
    base = await client.create_knowledge_base("Manuals")
    results = await client.upload_files_and_poll(
        ["a.txt", b"no name"], knowledge_base_id=base.id, on_progress=show, timeout=20
    )
    print([(each.file_name, each.error.error_code if each.error else None) for each in results])
    async for document in client.list_documents(base.id):
        print(document.title)
    await client.delete_knowledge_base(base.id)
