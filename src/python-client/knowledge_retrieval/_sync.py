"""The client for programs without asyncio: it runs the generators of `_core` in threads."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping, TypeVar

import httpx

from ._core.calls import Operation
from ._core.files import File
from ._core.pages import Pages, SearchResults
from ._core.settings import Permits, check_limits
from ._core.shared import (
    CONCURRENCY,
    DEADLINE,
    TIMEOUT,
    CallOptions,
    DownloadedFile,
    Sent,
    Shared,
    TextOptions,
    UploadOptions,
    headers_of,
    import_fields,
    in_time,
    text_fields,
    timeouts_of,
    to_error,
)
from ._core.steps import Answer, Attempt, Block, Body, Enter, Next, Pause, Request, Steps, Together
from ._core.uploads import OnProgress, UploadResult, UploadSource
from ._operations import OPERATIONS, Operations
from .errors import invalid_argument
from .types import Document, DocumentStatusReport

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

T = TypeVar("T")


class KnowledgeRetrieval(Shared, Operations):
    """
    A client of one service with one key, for programs without asyncio. It may be used by several threads. Every error
    is a KnowledgeRetrievalError.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = TIMEOUT,
        deadline: float = DEADLINE,
        retries: int | None = None,
        concurrency: int = CONCURRENCY,
        http_client: httpx.Client | None = None,
    ) -> None:
        """
        `base_url`: default KNOWLEDGE_URL, otherwise http://127.0.0.1:8080. `api_key`: default KNOWLEDGE_API_KEY.
        `timeout`: of each attempt of a request; `deadline`: of all attempts with the pauses between them, in seconds.
        `retries`: how often a request is repeated at most. `concurrency`: how many requests are in progress at once.
        `http_client`: used instead of one of its own, and left open.
        """
        limits = check_limits(timeout, deadline, retries)
        super().__init__(base_url, api_key, limits, concurrency, threading.Semaphore)
        self._owns_http = http_client is None
        self._http = http_client if http_client is not None else httpx.Client()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes its connections."""
        if self._owns_http:
            self._http.close()

    def _run(self, steps: Steps[T]) -> T:
        """Does what the generator wants, until it ends."""
        try:
            step = next(steps)
            while True:
                try:
                    outcome = self._do(step)
                except BaseException as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(outcome)
        except StopIteration as ended:
            return ended.value  # type: ignore[no-any-return]

    def _do(self, step: Any) -> Any:
        if isinstance(step, Attempt):
            return self._attempt(step.request, step.timeout)
        if isinstance(step, Pause):
            return time.sleep(step.seconds)
        if isinstance(step, Enter):
            return _enter(step.permits)
        if isinstance(step, Block):
            return step.act()
        if isinstance(step, Next):
            return _take(step.iterator)
        return self._run_together(step)

    def _run_together(self, step: Together) -> None:
        with ThreadPoolExecutor(len(step.workers)) as pool:
            for future in [pool.submit(self._run, worker) for worker in step.workers]:
                future.result()

    def _attempt(self, request: Request, seconds: float) -> Answer:
        end = time.monotonic() + seconds
        body = request.body
        content = body if body is None or isinstance(body, bytes) else in_time(_pieces_of(body), end, seconds)
        try:
            sent = self._http.build_request(
                request.method,
                request.address,
                headers=headers_of(request),
                content=content,
                timeout=timeouts_of(seconds),
            )
            response = self._http.send(sent, stream=True, auth=None, follow_redirects=request.follows)
            try:
                received = b"".join(in_time(response.iter_bytes(), end, seconds))
            finally:
                response.close()
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise to_error(error, request, seconds) from error
        return Answer(response.status_code, response.headers, received)

    def _call(
        self, operation: Operation, fields: Mapping[str, Any], limits: tuple[Any, ...], key: str | None = None
    ) -> Any:
        return self._run(self._calling(operation, fields, limits, key))

    def _list(self, operation: Operation, fields: Mapping[str, Any], limits: tuple[Any, ...]) -> Pages[Any]:
        return Pages(fields, lambda asked: self._run(self._reading(operation, asked, limits)))

    def _search(self, operation: Operation, fields: Mapping[str, Any], limits: tuple[Any, ...]) -> SearchResults:
        return self._run(self._searching(operation, fields, limits))

    def upload_file(
        self,
        file: File,
        *,
        knowledge_base_id: str,
        file_name: str | None = None,
        on_progress: OnProgress | None = None,
        **options: Unpack[UploadOptions],
    ) -> Document:
        """
        Uploads and imports a file: a path, bytes, or a file object in binary mode. Requests an upload address, sends
        the bytes there, and imports them. The returned document is `pending`.
        """
        return self._run(self._uploading(file, knowledge_base_id, file_name, on_progress, options, False))

    def upload_file_and_poll(
        self,
        file: File,
        *,
        knowledge_base_id: str,
        file_name: str | None = None,
        on_progress: OnProgress | None = None,
        **options: Unpack[UploadOptions],
    ) -> Document:
        """Like upload_file, and waits until the document is processed, for `deadline` seconds."""
        return self._run(self._uploading(file, knowledge_base_id, file_name, on_progress, options, True))

    def upload_files(
        self,
        sources: Iterable[File | UploadSource],
        *,
        knowledge_base_id: str,
        concurrency: int | None = None,
        on_progress: OnProgress | None = None,
        **options: Unpack[UploadOptions],
    ) -> list[UploadResult]:
        """
        Uploads and imports many files, several at a time. Returns a result for each, in their order: its document, or
        the error. A generator is read as the uploads proceed, not ahead. `on_progress` is called in other threads, by
        one at a time.
        """
        return self._run(self._uploading_each(sources, knowledge_base_id, concurrency, on_progress, options, False))

    def upload_files_and_poll(
        self,
        sources: Iterable[File | UploadSource],
        *,
        knowledge_base_id: str,
        concurrency: int | None = None,
        on_progress: OnProgress | None = None,
        **options: Unpack[UploadOptions],
    ) -> list[UploadResult]:
        """Like upload_files, and waits until each document is processed or has failed, for `deadline` seconds each."""
        return self._run(self._uploading_each(sources, knowledge_base_id, concurrency, on_progress, options, True))

    def download_file(self, document_id: str, **options: Unpack[CallOptions]) -> DownloadedFile:
        """The file from which a document was made: the bytes that were uploaded, in memory, with their name."""
        return self._run(self._downloading(document_id, options))

    def import_file_and_poll(self, file_id: str, **options: Unpack[UploadOptions]) -> Document:
        """Like import_file, and waits until the document is processed."""
        fields = import_fields(file_id, options)
        return self._run(self._importing(OPERATIONS["importFile"], fields, None, options))

    def import_text_content_and_poll(
        self,
        *,
        knowledge_base_id: str,
        title: str,
        content: str,
        idempotency_key: str | None = None,
        **options: Unpack[TextOptions],
    ) -> Document:
        """
        Like import_text_content, and waits until the document is processed. The service does so before it answers.
        """
        fields = text_fields(knowledge_base_id, title, content, options)
        return self._run(self._importing(OPERATIONS["importTextContent"], fields, idempotency_key, options))

    def poll_document_status(self, document_id: str, **options: Unpack[CallOptions]) -> DocumentStatusReport:
        """Waits until the document is processed, and returns its status report."""
        return self._run(self._polling(document_id, options))


def _pieces_of(body: Body) -> Iterator[bytes]:
    sent = Sent(body)
    for piece in body.pieces():
        yield piece
        sent.add(piece)


def _enter(permits: Permits) -> None:
    permits.count_waiting(1)
    try:
        permits.semaphore.acquire()
    finally:
        permits.count_waiting(-1)


def _take(iterator: Any) -> list[Any]:
    if not hasattr(iterator, "__next__"):
        message = "sources must be an iterable; one for `async for` needs AsyncKnowledgeRetrieval."
        raise invalid_argument("sources", message)
    try:
        return [next(iterator)]
    except StopIteration:
        return []
