"""Uploads files: an upload address, the bytes, the import. Several at once, with their progress."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Generator, Iterable, Literal, Mapping

from .calls import call_for_data
from .files import File, FileBody, open_file, own_name_of
from .model import to_wire_name
from .._operations import OPERATIONS
from .polling import until_processed
from .send import send
from .settings import Context, Limits, Permits, read_count
from .steps import Block, Next, Request, Steps, Together, in_turn
from ..errors import KnowledgeRetrievalError, invalid_argument
from ..types import Document, DocumentStatusReport, ImportFileOptions, UploadTicket

#: In this order; `processing` only where the caller waits.
UploadPhase = Literal["queued", "uploading", "importing", "processing", "done", "failed"]


@dataclass(frozen=True)
class UploadSource:
    """A file of `upload_files` with a name, or with options of its own."""

    file: File
    #: 1 to 256 characters. Default: the file's own name, without folders. Bytes have none.
    file_name: str | None = None
    #: attributes, source_url, external_id, if_unchanged
    options: ImportFileOptions = field(default_factory=lambda: ImportFileOptions())


@dataclass(frozen=True)
class UploadResult:
    """What became of one file. Without an `error` its `document` is there; with one, it may be."""

    file_name: str
    document: Document | None = None
    error: KnowledgeRetrievalError | None = None


@dataclass(frozen=True)
class UploadTotals:
    """The state of all files of a call."""

    #: How many files there are: all of a list; of another iterable those that have been taken from it.
    files: int = 0
    done: int = 0
    failed: int = 0
    sent_bytes: int = 0
    #: The size of the files that have been opened.
    total_bytes: int = 0


@dataclass(frozen=True)
class UploadProgress:
    """The state of one file, and of all together."""

    #: The file's name; the last part of its path where it could not be opened.
    file_name: str
    #: The position of the file among the sources, from 0.
    index: int = 0
    phase: UploadPhase = "queued"
    #: The bytes that are on their way or have arrived. It begins at 0 again when a broken upload is repeated.
    sent_bytes: int = 0
    #: The size of the file; 0 until it has been opened.
    total_bytes: int = 0
    #: From `processing` on: the document as it was imported, and in `done` as it is then.
    document: Document | None = None
    #: The last status report of the service, in `processing`.
    report: DocumentStatusReport | None = None
    #: Only in `failed`: the reason.
    error: KnowledgeRetrievalError | None = None
    totals: UploadTotals = UploadTotals()


OnProgress = Callable[[UploadProgress], None]


class _Tracker:
    """Adds up the states of files, and reports them one at a time."""

    def __init__(self, count: int | None, on_progress: OnProgress | None) -> None:
        self._count = count
        self._on_progress = on_progress
        self._states: dict[int, UploadProgress] = {}
        self._totals = UploadTotals()
        self._lock = threading.RLock()

    def report(self, index: int, **change: Any) -> None:
        """`file_name` is part of the first change of a file."""
        with self._lock:
            before = self._states.get(index) or UploadProgress("", index)
            after = replace(before, **change)
            self._states[index] = after
            ended = change.get("phase")
            totals = self._totals
            self._totals = UploadTotals(
                files=self._count if self._count is not None else len(self._states),
                done=totals.done + (ended == "done"),
                failed=totals.failed + (ended == "failed"),
                sent_bytes=totals.sent_bytes + after.sent_bytes - before.sent_bytes,
                total_bytes=totals.total_bytes + after.total_bytes - before.total_bytes,
            )
            if self._on_progress is not None:
                self._on_progress(replace(after, totals=self._totals))

    def state_of(self, index: int) -> UploadProgress:
        return self._states[index]


Report = Callable[..., None]


def _upload(
    context: Context, knowledge_base_id: str, source: UploadSource, limits: Limits, report: Report
) -> Steps[Any]:
    """Uploads one file, and imports it. Its document is `pending`."""
    opened = yield Block(lambda: open_file(source.file, source.file_name))
    wanted = {"knowledgeBaseId": knowledge_base_id, "fileName": opened.file_name, "size": opened.size}
    ticket: UploadTicket = yield from call_for_data(context, OPERATIONS["presignUploadUrl"], wanted, limits)
    report(file_name=opened.file_name, total_bytes=opened.size, phase="uploading")
    headers = ticket.to_dict().get("headers") or {}
    body = FileBody(opened, lambda sent: report(sent_bytes=sent))
    request = Request(ticket.method, ticket.upload_url, headers, body, follows=True)
    sending = send(request, limits.for_transfer(), context.answered_origins)
    yield from in_turn(context.bodies, in_turn(context.requests, sending))
    report(sent_bytes=opened.size, phase="importing")
    options = {to_wire_name(name): value for name, value in source.options.items()}
    imported = {"fileId": ticket.file_id, **options}
    return (yield from call_for_data(context, OPERATIONS["importFile"], imported, limits))


@dataclass(frozen=True)
class Finish:
    """How to wait until a document is processed. `deadline`: as of `until_processed`."""

    limits: Limits
    deadline: float | None


def finish_document(
    context: Context, document: Document, finish: Finish, report: Report | None = None
) -> Steps[Document]:
    """The document as it is once it is processed."""
    if document.status == "processed":
        return document

    def on_report(status: DocumentStatusReport) -> None:
        if report is not None and status.status != "processed":
            report(report=status)

    ended = yield from until_processed(context, document.id, finish.limits, finish.deadline, on_report)
    return Document({**document.to_dict(), **ended.to_dict()})


@dataclass(frozen=True)
class _Turns:
    """How many files of one call are uploaded at once, and how many imports are waited for."""

    uploads: Permits
    ends: Permits


def _turns_of(context: Context, concurrency: int) -> _Turns:
    return _Turns(context.create_permits(concurrency), context.create_permits(concurrency))


def _complete(
    context: Context,
    knowledge_base_id: str,
    source: UploadSource,
    limits: Limits,
    finish: Finish | None,
    turns: _Turns,
    report: Report,
) -> Steps[Document]:
    """Uploads one file in its turn, waits for its import if `finish` is there, and reports its state."""
    report(file_name=source.file_name or own_name_of(source.file) or "a file without a name", phase="queued")
    try:
        uploading = in_turn(context.uploads, _upload(context, knowledge_base_id, source, limits, report))
        document: Document = yield from in_turn(turns.uploads, uploading)
        if finish is not None:
            report(phase="processing", document=document)
            document = yield from in_turn(turns.ends, finish_document(context, document, finish, report))
    except KnowledgeRetrievalError as error:
        report(phase="failed", error=error)
        raise
    report(phase="done", document=document)
    return document


def upload_one(
    context: Context,
    knowledge_base_id: str,
    source: UploadSource,
    limits: Limits,
    finish: Finish | None,
    on_progress: OnProgress | None,
) -> Steps[Document]:
    tracker = _Tracker(1, on_progress)

    def report(**change: Any) -> None:
        tracker.report(0, **change)

    return (yield from _complete(context, knowledge_base_id, source, limits, finish, _turns_of(context, 1), report))


@dataclass(frozen=True)
class Batch:
    """The files of a call. `options`: of all files that have none of their own."""

    knowledge_base_id: str
    sources: Any
    options: ImportFileOptions
    limits: Limits
    finish: Finish | None
    concurrency: int | None
    on_progress: OnProgress | None


def _to_source(given: Any, options: ImportFileOptions) -> UploadSource:
    source = given if isinstance(given, UploadSource) else UploadSource(given)
    return replace(source, options={**options, **source.options})


def _iterate(sources: Any) -> Any:
    if not isinstance(sources, (str, bytes, bytearray, memoryview, Mapping)):
        if hasattr(sources, "__aiter__"):
            return sources.__aiter__()
        if isinstance(sources, Iterable) and not hasattr(sources, "read"):
            return iter(sources)
    raise invalid_argument("sources", "sources must be a list of files, or another iterable of them.")


def upload_each(context: Context, batch: Batch) -> Steps[list[UploadResult]]:
    """Uploads the files of a call: a result for each, in their order. Sources are read as the uploads proceed."""
    iterator = _iterate(batch.sources)
    most = context.concurrency
    concurrency = most if batch.concurrency is None else min(most, read_count("concurrency", batch.concurrency))
    count = len(batch.sources) if hasattr(batch.sources, "__len__") else None
    tracker = _Tracker(count, batch.on_progress)
    turns = _turns_of(context, concurrency)
    results: dict[int, UploadResult] = {}
    failures: list[BaseException] = []
    taking = context.create_permits(1)

    def take() -> Steps[list[Any]]:
        found = [] if failures else (yield Next(iterator))
        if not found:
            return []
        index = len(results)
        results[index] = UploadResult("")
        return [index, _to_source(found[0], batch.options)]

    def upload(index: int, source: UploadSource) -> Steps[None]:
        def report(**change: Any) -> None:
            tracker.report(index, **change)

        try:
            kb = batch.knowledge_base_id
            yield from _complete(context, kb, source, batch.limits, batch.finish, turns, report)
        except KnowledgeRetrievalError:
            pass  # the result has it
        state = tracker.state_of(index)
        results[index] = UploadResult(state.file_name, state.document, state.error)

    def work() -> Generator[Any, Any, None]:
        try:
            while True:
                taken = yield from in_turn(taking, take())
                if not taken:
                    return
                yield from upload(*taken)
        except BaseException as error:
            failures.append(error)
            raise

    # Twice as many as may be uploaded at once: half of them wait for the ends of imports.
    yield Together([work() for _ in range(concurrency * (1 if batch.finish is None else 2))])
    return [results[index] for index in range(len(results))]
