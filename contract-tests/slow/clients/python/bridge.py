"""
The service as the Python client sees it: takes requests of the contract's checks, calls the client's function of the
same name, and answers with what that returned or raised. Prints its address. Arguments: sync or async, the service.
"""

import asyncio
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

import httpx
from knowledge_retrieval import AsyncKnowledgeRetrieval, KnowledgeRetrieval, KnowledgeRetrievalError
from knowledge_retrieval._core.model import Model, to_python_name

KIND, SERVICE = sys.argv[1:]


def to_wire(value):
    """An answer by its attributes alone, so that one that the client does not decode is missing."""
    if isinstance(value, list):
        return [to_wire(item) for item in value]
    if not isinstance(value, Model):
        return value
    fields = [(name, field[0] if isinstance(field, tuple) else field) for name, field in value._fields.items()]
    return {wire: to_wire(getattr(value, name)) for name, wire in fields if wire in value.to_dict()}


def envelope_of(result):
    if hasattr(result, "pagination"):
        return {"success": True, "data": to_wire(result.data), "pagination": to_wire(result.pagination)}
    envelope = {"success": True, "data": to_wire(list(result) if isinstance(result, list) else result)}
    if getattr(result, "phrases_as_words", None):
        envelope["phrasesAsWords"] = result.phrases_as_words
    if getattr(result, "warnings", None) and isinstance(result, list):
        envelope["warnings"] = to_wire(result.warnings)
    return envelope


def arguments_of(path, headers, body):
    """The name of the function, and its arguments."""
    parts = urlsplit(path)
    operation = parts.path.removeprefix("/v1/")
    fields = dict(parse_qsl(parts.query, keep_blank_values=True))
    if operation == "uploadFile":
        fields = {"file": body, **fields}
        if "attributes" in fields:
            fields["attributes"] = json.loads(fields["attributes"])
    elif body:
        fields = {**fields, **json.loads(body)}
    named = {to_python_name(name).replace("from", "from_"): value for name, value in fields.items()}
    if "idempotency-key" in headers:
        named["idempotency_key"] = headers["idempotency-key"]
    return to_python_name(operation), named


def call_sync(key, own, name, arguments, answers):
    http = httpx.Client(verify=False, headers=own, event_hooks={"response": [answers.append]})
    with http, KnowledgeRetrieval(SERVICE, key, http_client=http) as client:
        result = getattr(client, name)(**arguments)
        return result.page() if hasattr(result, "page") else result


async def call_async(key, own, name, arguments, answers):
    async def keep(answer):
        answers.append(answer)

    http = httpx.AsyncClient(verify=False, headers=own, event_hooks={"response": [keep]})
    async with http, AsyncKnowledgeRetrieval(SERVICE, key, http_client=http) as client:
        result = getattr(client, name)(**arguments)
        return await (result.page() if hasattr(result, "page") else result)


class Bridge(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        name, arguments = arguments_of(self.path, self.headers, body)
        bearer = self.headers.get("authorization", "").removeprefix("Bearer ")
        key, answers = self.headers.get("x-api-key") or bearer, []
        # The checks name their requests, and expect the name in the answer.
        own = {name: self.headers[name] for name in ("x-request-id",) if name in self.headers}
        try:
            if KIND == "sync":
                result = call_sync(key, own, name, arguments, answers)
            else:
                result = asyncio.run(call_async(key, own, name, arguments, answers))
            self.reply(answers[-1].status_code, answers[-1].headers, envelope_of(result))
        except KnowledgeRetrievalError as error:
            data = {"success": False, "message": str(error), "errorCode": error.error_code, "data": error.data}
            self.reply(error.status or 599, answers[-1].headers if answers else {}, data)

    do_POST = do_GET

    def reply(self, status, headers, body):
        content = json.dumps(body, default=str).encode()
        self.send_response(status)
        for name, value in headers.items():
            if name.lower().startswith(("x-", "ratelimit", "retry-after", "content-type", "cache-control")):
                self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Bridge)
print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
