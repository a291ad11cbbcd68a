"""The settings of a client and of its calls, with their defaults."""

from __future__ import annotations

import os
import re
import threading
from dataclasses import dataclass, field, replace
from typing import Any, Callable
from urllib.parse import urlsplit

from ..errors import invalid_argument

#: The time limit of an attempt to send or receive a file, in seconds: as long as the service allows for an upload.
TRANSFER_TIMEOUT = 600.0

#: Where the service listens by default.
_BASE_URL = "http://127.0.0.1:8080"


@dataclass(frozen=True)
class Limits:
    """How long a call may take, in seconds. `retries` None: until the deadline, or as long as a restart takes."""

    timeout: float
    deadline: float
    retries: int | None

    def longer(self, seconds: float) -> Limits:
        return replace(self, timeout=self.timeout + seconds, deadline=self.deadline + seconds)

    def for_transfer(self) -> Limits:
        return replace(self, timeout=TRANSFER_TIMEOUT, deadline=self.deadline + TRANSFER_TIMEOUT)


class Permits:
    """Bounds how many calls are in progress at once. `semaphore` is that of threads or of asyncio."""

    def __init__(self, semaphore: Any) -> None:
        self.semaphore = semaphore
        self._lock = threading.Lock()
        self._waiting = 0

    def has_waiters(self) -> bool:
        return self._waiting > 0

    def count_waiting(self, change: int) -> None:
        with self._lock:
            self._waiting += change

    def release(self) -> None:
        self.semaphore.release()


@dataclass(frozen=True)
class Context:
    """Checked settings, and the state of a client."""

    base_url: str
    api_key: str = field(repr=False)
    limits: Limits
    concurrency: int
    create_permits: Callable[[int], Permits]
    #: All requests in progress.
    requests: Permits
    #: Files, from the request for an upload address to the import.
    uploads: Permits
    #: The requests that send or receive the bytes of a file.
    bodies: Permits
    #: Status requests with `wait_seconds`.
    long_polls: Permits
    #: The origins that have answered this client before: the service's, and that of its upload addresses.
    answered_origins: set[str] = field(default_factory=set)

    def limits_of(self, timeout: float | None, deadline: float | None, retries: int | None) -> Limits:
        """The limits of one call, which replace the client's."""
        given = self.limits
        return check_limits(
            given.timeout if timeout is None else timeout,
            given.deadline if deadline is None else deadline,
            given.retries if retries is None else retries,
        )


def check_limits(timeout: float, deadline: float, retries: int | None) -> Limits:
    for name, seconds in (("timeout", timeout), ("deadline", deadline)):
        if not (isinstance(seconds, (int, float)) and seconds >= 0):
            raise invalid_argument(name, f"{name} must be a number of seconds, not {seconds!r}.")
    if retries is not None and not (isinstance(retries, int) and retries >= 0):
        raise invalid_argument("retries", f"retries must be a whole number from 0, not {retries!r}.")
    return Limits(timeout, deadline, retries)


def read_count(name: str, count: Any) -> int:
    if isinstance(count, int) and not isinstance(count, bool) and count >= 1:
        return count
    raise invalid_argument(name, f"{name} must be a whole number from 1, not {count!r}.")


def _read_base_url(given: Any) -> str:
    wanted = "base_url must be the http(s) address of the service, as http://127.0.0.1:8080"
    if isinstance(given, str):
        try:
            parts = urlsplit(given)
            if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
                return given.rstrip("/")
        except ValueError:
            pass  # reported below
    raise invalid_argument("base_url", f"{wanted}; it is {given!r}.")


def _read_api_key(given: Any) -> str:
    """Without white space around it, since a key that was read from a file ends with a line end. Errors hide it."""
    if given is None:
        raise invalid_argument("api_key", "There is no API key: pass api_key, or set KNOWLEDGE_API_KEY.")
    trimmed = given.strip() if isinstance(given, str) else ""
    if re.fullmatch(r"[\x21-\x7e]+", trimmed):
        return trimmed
    found = "is empty, or holds other characters" if isinstance(given, str) else f"is {type(given).__name__}"
    raise invalid_argument("api_key", f"api_key must hold visible ASCII characters; it {found}.")


def _variable(name: str) -> str | None:
    return os.environ.get(name, "").strip() or None


def read_settings(
    base_url: str | None,
    api_key: str | None,
    limits: Limits,
    concurrency: int,
    create_semaphore: Callable[[int], Any],
) -> Context:
    """Raises INVALID_ARGUMENT for an address, a key or a number that cannot be used."""
    read_count("concurrency", concurrency)

    def create_permits(count: int) -> Permits:
        return Permits(create_semaphore(count))

    given_url = base_url if base_url is not None else _variable("KNOWLEDGE_URL") or _BASE_URL
    return Context(
        base_url=_read_base_url(given_url),
        api_key=_read_api_key(api_key if api_key is not None else _variable("KNOWLEDGE_API_KEY")),
        limits=limits,
        concurrency=concurrency,
        create_permits=create_permits,
        requests=create_permits(concurrency),
        uploads=create_permits(concurrency),
        # Some of the requests in progress stay free for short ones.
        bodies=create_permits(max(1, concurrency * 3 // 8)),
        long_polls=create_permits(max(1, concurrency // 4)),
    )
