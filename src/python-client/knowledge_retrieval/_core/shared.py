"""What both clients have: the generator for each of their functions."""

from __future__ import annotations

import time
from typing import Any, Iterator, Mapping, TypedDict, cast

import httpx

from .._operations import OPERATIONS
from ..errors import KnowledgeRetrievalError, invalid_argument, network_error, request_timed_out
from ..types import (
    Document,
    DocumentStatusReport,
    DownloadTicket,
    ImportFileOptions,
    ImportTextContentOptions,
    Pagination,
    QueryWarning,
    SearchResult,
)
from .calls import Operation, call, call_for_data
from .model import to_wire_name
from .pages import Page, SearchResults
from .polling import until_processed
from .send import send
from .settings import Limits, check_limits, read_settings
from .steps import Body, Request, Steps, in_turn
from .uploads import Batch, Finish, OnProgress, UploadResult, UploadSource, finish_document, upload_each, upload_one

#: Where nothing else is said: seconds, and how many requests are in progress at once.
TIMEOUT = 60.0
DEADLINE = 300.0
CONCURRENCY = 8


class CallOptions(TypedDict, total=False):
    """Time limits of one call, in seconds, and how often a request is repeated. They replace the client's."""

    timeout: float | None
    deadline: float | None
    retries: int | None


class UploadOptions(ImportFileOptions, CallOptions, total=False):
    """Facts about the document, and time limits."""


class TextOptions(ImportTextContentOptions, CallOptions, total=False):
    """Facts about the document, and time limits."""


class DownloadedFile:
    """The file of a document."""

    def __init__(self, ticket: DownloadTicket, content: bytes) -> None:
        self.file_name = ticket.file_name
        self.mime_type = ticket.mime_type
        self.content = content


class Shared:
    """What both clients have: the generators for each of their functions."""

    def __init__(
        self,
        base_url: str | None,
        api_key: str | None,
        limits: Limits,
        concurrency: int,
        create_semaphore: Any,
    ) -> None:
        self._context = read_settings(base_url, api_key, limits, concurrency, create_semaphore)

    def _take_limits(self, options: Any) -> tuple[Limits, dict[str, Any]]:
        """The time limits of a call, and its other options."""
        rest = dict(options)
        named = [rest.pop(name, None) for name in ("timeout", "deadline", "retries")]
        return self._context.limits_of(*named), rest

    def _finish_of(self, options: Any) -> Finish:
        """Here `deadline` is the time for the import, not for a request."""
        timeout, deadline, retries = (options.get(name) for name in ("timeout", "deadline", "retries"))
        if deadline is not None:
            check_limits(0, deadline, None)
        return Finish(self._context.limits_of(timeout, None, retries), deadline)

    def _uploading(
        self, file: Any, kb: str, name: str | None, listener: OnProgress | None, options: Any, waits: bool
    ) -> Steps[Document]:
        limits, rest = self._take_limits(options)
        finish = self._finish_of(options) if waits else None
        limits = finish.limits if finish else limits
        return upload_one(self._context, kb, UploadSource(file, name, _facts(rest)), limits, finish, listener)

    def _uploading_each(
        self, sources: Any, kb: str, concurrency: int | None, listener: OnProgress | None, options: Any, waits: bool
    ) -> Steps[list[UploadResult]]:
        limits, rest = self._take_limits(options)
        finish = self._finish_of(options) if waits else None
        limits = finish.limits if finish else limits
        batch = Batch(kb, sources, _facts(rest), limits, finish, concurrency, listener)
        return upload_each(self._context, batch)

    def _importing(
        self, operation: Operation, fields: Mapping[str, Any], key: str | None, options: Any
    ) -> Steps[Document]:
        finish = self._finish_of(options)
        document = yield from call_for_data(self._context, operation, fields, finish.limits, key)
        return (yield from finish_document(self._context, document, finish))

    def _polling(self, document_id: str, options: Any) -> Steps[DocumentStatusReport]:
        finish = self._finish_of(options)
        return until_processed(self._context, document_id, finish.limits, finish.deadline)

    def _downloading(self, document_id: str, options: Any) -> Steps[DownloadedFile]:
        limits, _ = self._take_limits(options)
        fields = {"documentId": document_id}
        ticket = yield from call_for_data(self._context, OPERATIONS["presignDownloadUrl"], fields, limits)
        request = Request("GET", ticket.download_url, {}, follows=True)
        receiving = send(request, limits.for_transfer(), self._context.answered_origins)
        answer = yield from in_turn(self._context.bodies, in_turn(self._context.requests, receiving))
        return DownloadedFile(ticket, answer.body)

    def _calling(
        self, operation: Operation, fields: Mapping[str, Any], limits: tuple[Any, ...], key: str | None = None
    ) -> Steps[Any]:
        return call_for_data(self._context, operation, fields, self._context.limits_of(*limits), key)

    def _reading(self, operation: Operation, fields: Mapping[str, Any], limits: tuple[Any, ...]) -> Steps[Page[Any]]:
        envelope = yield from call(self._context, operation, fields, self._context.limits_of(*limits))
        items = [operation.model(item) for item in envelope["data"]]
        return Page(items, Pagination(envelope.get("pagination") or {}))

    def _searching(
        self, operation: Operation, fields: Mapping[str, Any], limits: tuple[Any, ...]
    ) -> Steps[SearchResults]:
        envelope = yield from call(self._context, operation, fields, self._context.limits_of(*limits))
        results = SearchResults(SearchResult(item) for item in envelope["data"])
        results.phrases_as_words = list(envelope.get("phrasesAsWords") or [])
        results.warnings = [QueryWarning(warning) for warning in envelope.get("warnings") or []]
        return results


def _facts(options: Mapping[str, Any]) -> ImportFileOptions:
    """Raises TypeError for an argument that no function has, as Python does."""
    unknown = sorted(options.keys() - ImportFileOptions.__annotations__.keys())
    if unknown:
        raise TypeError(f"got an unexpected keyword argument {unknown[0]!r}")
    facts: Any = {name: value for name, value in options.items() if value is not None}
    return cast(ImportFileOptions, facts)


def timeouts_of(seconds: float) -> httpx.Timeout:
    return httpx.Timeout(seconds, pool=None)


def headers_of(request: Request) -> dict[str, str]:
    body = request.body
    if body is None or isinstance(body, bytes):
        return dict(request.headers)
    return {**request.headers, "content-length": str(body.size)}  # stores of objects demand it


def in_time(pieces: Iterator[bytes], end: float, seconds: float) -> Iterator[bytes]:
    for piece in pieces:
        if time.monotonic() > end:
            raise request_timed_out(seconds)
        yield piece


class Sent:
    """Counts the bytes of a body that have been sent."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self._bytes = 0
        body.on_sent(0)

    def add(self, piece: bytes) -> None:
        self._bytes += len(piece)
        self._body.on_sent(self._bytes)


def to_error(error: Exception, request: Request, seconds: float) -> KnowledgeRetrievalError:
    """The error of an attempt without an answer."""
    if isinstance(error, httpx.TimeoutException):
        return request_timed_out(seconds)
    if isinstance(error, (httpx.InvalidURL, httpx.UnsupportedProtocol)):
        return invalid_argument("base_url", f"The address cannot be used: {error}")
    return network_error(request.address)


def import_fields(file_id: str, options: Any) -> dict[str, Any]:
    """The fields of importFile and its options, without the time limits of the call."""
    return {"fileId": file_id, **_to_wire(options)}


def text_fields(knowledge_base_id: str, title: str, content: str, options: Any) -> dict[str, Any]:
    return {"knowledgeBaseId": knowledge_base_id, "title": title, "content": content, **_to_wire(options)}


def _to_wire(options: Any) -> dict[str, Any]:
    facts = {name: value for name, value in options.items() if name not in CallOptions.__annotations__}
    return {to_wire_name(name): value for name, value in _facts(facts).items()}
