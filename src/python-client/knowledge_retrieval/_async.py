"""The client for asyncio: it runs the generators of `_core` in tasks."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, AsyncIterable, AsyncIterator, Iterable, Mapping, TypeVar

import httpx

from ._core.calls import Operation
from ._core.files import File
from ._core.pages import AsyncPages, Page, SearchResults
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
    text_fields,
    timeouts_of,
    to_error,
)
from ._core.steps import Answer, Attempt, Block, Body, Enter, Next, Pause, Request, Steps, Together
from ._core.uploads import OnProgress, UploadResult, UploadSource
from ._operations import OPERATIONS, AsyncOperations
from .errors import request_timed_out
from .types import Document, DocumentStatusReport

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

T = TypeVar("T")


class AsyncKnowledgeRetrieval(Shared, AsyncOperations):
    """
    A client of one service with one key, for programs with asyncio. To end a call, cancel its task. Every error is a
    KnowledgeRetrievalError.
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
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        """As of KnowledgeRetrieval."""
        limits = check_limits(timeout, deadline, retries)
        super().__init__(base_url, api_key, limits, concurrency, asyncio.Semaphore)
        self._owns_http = http_client is None
        self._http = http_client if http_client is not None else httpx.AsyncClient()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes its connections."""
        if self._owns_http:
            await self._http.aclose()

    async def _run(self, steps: Steps[T]) -> T:
        """Does what the generator wants, until it ends."""
        try:
            step = next(steps)
            while True:
                try:
                    outcome = await self._do(step)
                except BaseException as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(outcome)
        except StopIteration as ended:
            return ended.value  # type: ignore[no-any-return]

    async def _do(self, step: Any) -> Any:
        if isinstance(step, Attempt):
            return await self._attempt(step.request, step.timeout)
        if isinstance(step, Pause):
            return await asyncio.sleep(step.seconds)
        if isinstance(step, Enter):
            return await _enter(step.permits)
        if isinstance(step, Block):
            return await asyncio.to_thread(step.act)
        if isinstance(step, Next):
            return await _take(step.iterator)
        return await self._run_together(step)

    async def _run_together(self, step: Together) -> None:
        tasks = [asyncio.ensure_future(self._run(worker)) for worker in step.workers]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _attempt(self, request: Request, seconds: float) -> Answer:
        try:
            return await asyncio.wait_for(self._exchange(request, seconds), seconds)
        except asyncio.TimeoutError as error:
            raise request_timed_out(seconds) from error
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise to_error(error, request, seconds) from error

    async def _exchange(self, request: Request, seconds: float) -> Answer:
        body = request.body
        content = body if body is None or isinstance(body, bytes) else _pieces_of(body)
        sent = self._http.build_request(
            request.method, request.address, headers=headers_of(request), content=content, timeout=timeouts_of(seconds)
        )
        response = await self._http.send(sent, stream=True, auth=None, follow_redirects=request.follows)
        try:
            return Answer(response.status_code, response.headers, await response.aread())
        finally:
            await response.aclose()

    async def _call(
        self, operation: Operation, fields: Mapping[str, Any], limits: tuple[Any, ...], key: str | None = None
    ) -> Any:
        return await self._run(self._calling(operation, fields, limits, key))

    def _list(self, operation: Operation, fields: Mapping[str, Any], limits: tuple[Any, ...]) -> AsyncPages[Any]:
        async def read(asked: Mapping[str, Any]) -> Page[Any]:
            return await self._run(self._reading(operation, asked, limits))

        return AsyncPages(fields, read)

    async def _search(
        self, operation: Operation, fields: Mapping[str, Any], limits: tuple[Any, ...]
    ) -> SearchResults:
        return await self._run(self._searching(operation, fields, limits))

    async def upload_file(
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
        return await self._run(self._uploading(file, knowledge_base_id, file_name, on_progress, options, False))

    async def upload_file_and_poll(
        self,
        file: File,
        *,
        knowledge_base_id: str,
        file_name: str | None = None,
        on_progress: OnProgress | None = None,
        **options: Unpack[UploadOptions],
    ) -> Document:
        """Like upload_file, and waits until the document is processed, for `deadline` seconds."""
        return await self._run(self._uploading(file, knowledge_base_id, file_name, on_progress, options, True))

    async def upload_files(
        self,
        sources: Iterable[File | UploadSource] | AsyncIterable[File | UploadSource],
        *,
        knowledge_base_id: str,
        concurrency: int | None = None,
        on_progress: OnProgress | None = None,
        **options: Unpack[UploadOptions],
    ) -> list[UploadResult]:
        """
        Uploads and imports many files, several at a time. Returns a result for each, in their order: its document, or
        the error. A generator is read as the uploads proceed, not ahead.
        """
        uploading = self._uploading_each(sources, knowledge_base_id, concurrency, on_progress, options, False)
        return await self._run(uploading)

    async def upload_files_and_poll(
        self,
        sources: Iterable[File | UploadSource] | AsyncIterable[File | UploadSource],
        *,
        knowledge_base_id: str,
        concurrency: int | None = None,
        on_progress: OnProgress | None = None,
        **options: Unpack[UploadOptions],
    ) -> list[UploadResult]:
        """Like upload_files, and waits until each document is processed or has failed, for `deadline` seconds each."""
        uploading = self._uploading_each(sources, knowledge_base_id, concurrency, on_progress, options, True)
        return await self._run(uploading)

    async def download_file(self, document_id: str, **options: Unpack[CallOptions]) -> DownloadedFile:
        """The file from which a document was made: the bytes that were uploaded, in memory, with their name."""
        return await self._run(self._downloading(document_id, options))

    async def import_file_and_poll(self, file_id: str, **options: Unpack[UploadOptions]) -> Document:
        """Like import_file, and waits until the document is processed."""
        fields = import_fields(file_id, options)
        return await self._run(self._importing(OPERATIONS["importFile"], fields, None, options))

    async def import_text_content_and_poll(
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
        return await self._run(self._importing(OPERATIONS["importTextContent"], fields, idempotency_key, options))

    async def poll_document_status(self, document_id: str, **options: Unpack[CallOptions]) -> DocumentStatusReport:
        """Waits until the document is processed, and returns its status report."""
        return await self._run(self._polling(document_id, options))


async def _enter(permits: Permits) -> None:
    permits.count_waiting(1)
    try:
        await permits.semaphore.acquire()
    finally:
        permits.count_waiting(-1)


async def _take(iterator: Any) -> list[Any]:
    try:
        # A thread cannot raise StopIteration into a task: the default is what it returns at the end.
        end = object()
        item = await (anext(iterator) if hasattr(iterator, "__anext__") else asyncio.to_thread(next, iterator, end))
        return [] if item is end else [item]
    except StopAsyncIteration:
        return []


async def _pieces_of(body: Body) -> AsyncIterator[bytes]:
    """Reads the file in threads, so that other tasks go on meanwhile."""
    sent = Sent(body)
    pieces = body.pieces()
    try:
        while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
            yield piece
            sent.add(piece)
    finally:
        with suppress(ValueError):  # a thread still reads: the file is closed with the generator
            pieces.close()
