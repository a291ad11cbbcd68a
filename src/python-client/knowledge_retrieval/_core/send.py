"""Sends a request within a time limit, and repeats it where that may help."""

from __future__ import annotations

import random
import time
from typing import Callable
from urllib.parse import urlsplit

import httpx

from .settings import Limits
from .steps import Answer, Attempt, Pause, Request, Steps
from ..errors import KnowledgeRetrievalError, answered_error

# Seconds, as in src/client/requests/send.ts.
#: The first pause if the service names none. It doubles each time, up to the longest.
_FIRST_PAUSE = 0.5
_LONGEST_OWN_PAUSE = 10.0
#: A random addition to the pause that the service names, so that clients refused together do not return together.
_SPREAD = 0.25
#: After this many broken connections a request is repeated in any case.
_LOSSES_MAX = 2
#: A server that is restarted is back within this time.
_LONGEST_OUTAGE = 30.0
#: The service counts requests by the minute, so it asks for no longer pause.
_LONGEST_PAUSE = 60.0


def origin_of(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def _is_loss(error: KnowledgeRetrievalError) -> bool:
    return error.error_code == "NETWORK_ERROR"


def _was_refused(error: KnowledgeRetrievalError) -> bool:
    """Whether no connection came about, so that the request cannot have arrived."""
    return isinstance(error.__cause__, httpx.ConnectError)


def _pause_before(retry: int, error: KnowledgeRetrievalError) -> float:
    """As the service asks, otherwise growing."""
    if error.retry_after_seconds is not None:
        return error.retry_after_seconds + _SPREAD * random.random()
    # A larger exponent than any pause needs would be too large for a number.
    return min(_LONGEST_OWN_PAUSE, _FIRST_PAUSE * 2.0 ** min(retry, 10)) * (0.5 + random.random() / 2)


class _Tries:
    """`silent_since`: since when no attempt was answered; None: the last one was."""

    def __init__(self) -> None:
        self.retries = 0
        self.losses = 0
        self.silent_since: float | None = None

    def count(self, error: KnowledgeRetrievalError) -> None:
        if not _is_loss(error):
            self.silent_since = None
            return
        self.losses += 1
        if self.silent_since is None:
            self.silent_since = time.monotonic()

    def is_short_outage(self) -> bool:
        return self.silent_since is not None and time.monotonic() - self.silent_since < _LONGEST_OUTAGE


def send(
    request: Request,
    limits: Limits,
    answered_origins: set[str],
    *,
    is_charged: bool = False,
    on_lost_answer: Callable[[], None] | None = None,
) -> Steps[Answer]:
    """
    Sends a request until it succeeds, fails for good, or the next pause would end after the deadline. `is_charged`:
    each arrival costs credits. `on_lost_answer`: called when the request is repeated although it may have arrived.
    """
    end = time.monotonic() + limits.deadline
    tries = _Tries()
    while True:
        try:
            answer: Answer = yield Attempt(request, limits.timeout)
            answered_origins.add(origin_of(request.address))
            if 200 <= answer.status < 300:
                return answer
            error = answered_error(answer.status, answer.headers, answer.body)
        except KnowledgeRetrievalError as failed:
            error = failed
        tries.count(error)
        knows_server = origin_of(request.address) in answered_origins
        if not _may_retry(error, tries, limits.retries, knows_server, is_charged):
            raise error
        pause = _pause_before(tries.retries, error)
        if pause > _LONGEST_PAUSE + _SPREAD or time.monotonic() + pause > end:
            raise error
        # A 503 or a broken connection may come after the request has taken effect.
        if on_lost_answer is not None and (error.status == 503 or _is_loss(error)):
            on_lost_answer()
        yield Pause(pause)
        tries.retries += 1


def _may_retry(
    error: KnowledgeRetrievalError, tries: _Tries, retries: int | None, knows_server: bool, is_charged: bool
) -> bool:
    """Whether a request may be repeated after this error."""
    if retries is not None and tries.retries >= retries:
        return False
    if error.status in (429, 503):
        return True
    if not _is_loss(error):
        return False
    if retries is not None or tries.losses <= _LOSSES_MAX:
        return True
    # The server may be restarting, and another attempt costs nothing.
    costs_nothing = not is_charged or _was_refused(error)
    return knows_server and costs_nothing and tries.is_short_outage()
