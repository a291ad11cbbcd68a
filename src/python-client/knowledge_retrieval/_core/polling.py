"""Waits for the end of an import."""

from __future__ import annotations

import time
from typing import Any, Callable, Generator

from .calls import call_for_data
from .._operations import OPERATIONS
from .settings import Context, Limits
from .steps import Pause, Steps
from ..errors import deadline_passed, document_failed, document_timed_out
from ..types import DocumentStatusReport

#: Seconds. Longer than the service's own limit (10 minutes by default), so that the service gives up first.
_DEADLINE = 15 * 60.0
#: The maximum of `wait_seconds`.
_LONGEST_WAIT = 30
#: The wait while other requests wait for their turn: one slow document must not hold them up.
_CROWDED_WAIT = 1
#: A busy server answers early. Asking again at once would make it busier.
_LEAST_INTERVAL = 1.0

OnReport = Callable[[DocumentStatusReport], None]


def until_processed(
    context: Context, document_id: str, limits: Limits, deadline: float | None, on_report: OnReport | None = None
) -> Steps[DocumentStatusReport]:
    """
    The report of a document once it is processed. `deadline` None: 15 minutes, without its time in the queue. Raises
    DOCUMENT_FAILED, DOCUMENT_TIMED_OUT, DEADLINE_PASSED, or a request's error.
    """
    seconds = _DEADLINE if deadline is None else deadline
    end = time.monotonic() + seconds
    while True:
        asked = time.monotonic()
        left = end - asked
        wait = max(0, min(_CROWDED_WAIT if context.long_polls.has_waiters() else _LONGEST_WAIT, int(left)))
        report = yield from _ask(context, document_id, wait, limits)
        if on_report is not None:
            on_report(report)
        if report.status == "failed":
            raise document_failed(report)
        if report.status == "timeout":
            raise document_timed_out(report)
        if report.status == "processed":
            return report
        if deadline is None and report.status == "pending":
            end = time.monotonic() + seconds
        pause = max(0.0, asked + _LEAST_INTERVAL - time.monotonic())
        if time.monotonic() + pause >= end:
            raise deadline_passed(document_id, seconds)
        yield Pause(pause)


def _ask(
    context: Context, document_id: str, wait: int, limits: Limits
) -> Generator[Any, Any, DocumentStatusReport]:
    fields = {"documentId": document_id, "waitSeconds": wait}
    report: DocumentStatusReport = yield from call_for_data(
        context, OPERATIONS["getDocumentStatus"], fields, limits
    )
    return report
