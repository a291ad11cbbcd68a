"""Cases of the Python client at a server that answers by a script. Arguments: sync or async, the case, the address."""

import asyncio
import json
import sys

from knowledge_retrieval import AsyncKnowledgeRetrieval, KnowledgeRetrieval, KnowledgeRetrievalError, UploadSource

KIND, CASE, ADDRESS = sys.argv[1:4]
ARGUMENTS = json.loads(sys.argv[4]) if len(sys.argv) > 4 else {}


class Awaited:
    """A synchronous client whose functions are awaited, so that each case is written once."""

    def __init__(self, client):
        self.client = client

    def __getattr__(self, name):
        function = getattr(self.client, name)
        if name.startswith("list_"):
            return lambda **arguments: AwaitedPages(function(**arguments))

        async def call(*arguments, **named):
            return function(*arguments, **named)

        return call


class AwaitedPages:
    def __init__(self, pages):
        self.pages = pages

    async def page(self):
        return self.pages.page()

    async def __aiter__(self):
        for item in self.pages:
            yield item


async def outcome_of(call):
    try:
        return await call
    except KnowledgeRetrievalError as error:
        return {
            "errorCode": error.error_code,
            "status": error.status,
            "fieldErrors": error.field_errors,
            "requestId": error.request_id,
            "retryAfterSeconds": error.retry_after_seconds,
        }


async def create(client):
    return (await client.create_knowledge_base("Handbook")).id


async def delete(client):
    outcome = await outcome_of(client.delete_knowledge_base("kb"))
    return outcome if isinstance(outcome, dict) else outcome.id


async def query(client):
    return await outcome_of(client.query("When?", **ARGUMENTS))


async def items(client):
    return [document.id async for document in client.list_documents(knowledge_base_id="kb", limit=1)]


async def page(client):
    found = await client.list_documents(knowledge_base_id="kb").page()
    return [len(found), found.pagination.next_cursor]


async def usage(client):
    return await outcome_of(client.get_usage(**ARGUMENTS))


async def newer(client):
    balance = await client.get_balance()
    return [balance.balance, balance.to_dict()["grants"], hasattr(balance, "grants")]


async def selected(client):
    [result] = await client.query("When?", fields=["content"])
    return [result.content, hasattr(result, "title"), result.source_url]


async def progress(client):
    seen = []
    document = await client.upload_file_and_poll(
        b"x" * 300_000, file_name="a.txt", knowledge_base_id="kb", on_progress=seen.append
    )
    return [document.status, [[each.phase, each.sent_bytes] for each in seen], seen[-1].totals.done]


async def files(client):
    path, missing = ARGUMENTS["path"], "/nowhere/a.txt"
    kb = (await client.create_knowledge_base("Handbook")).id
    with open(path, "rb") as opened:
        ferry = UploadSource(b"The ferry leaves at noon.", "ferry.txt", {"attributes": {"year": 2026}})
        sources = [path, missing, opened, ferry]
        seen = []
        results = await client.upload_files_and_poll(sources, knowledge_base_id=kb, on_progress=seen.append)
    documents = [document async for document in client.list_documents(knowledge_base_id=kb, limit=1)]
    found = await client.query("When does the ferry leave?", knowledge_base_ids=[kb], limit=1)
    file = await client.download_file(found[0].document_id)
    return {
        "outcomes": [result.error.error_code if result.error else result.document.status for result in results],
        "names": [result.file_name for result in results],
        "listed": sorted(document.title for document in documents),
        "found": [found[0].title, dict(found[0].attributes or {})],
        "downloaded": [file.file_name, file.content.decode()],
        "totals": [seen[-1].totals.files, seen[-1].totals.done, seen[-1].totals.failed],
    }


async def main():
    case = globals()[CASE]
    settings = {"base_url": ADDRESS, "api_key": ARGUMENTS.pop("key", "key")}
    if KIND == "sync":
        with KnowledgeRetrieval(**settings) as client:
            return await case(Awaited(client))
    async with AsyncKnowledgeRetrieval(**settings) as client:
        return await case(client)


print(json.dumps(asyncio.run(main()), default=str))
