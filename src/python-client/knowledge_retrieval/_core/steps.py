"""
The logic of the client as generators, without input and output. A generator yields what has to be done, one of the
classes below, and gets the outcome. _sync.py does these things with threads, and _async.py with asyncio.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Generator, Mapping, Protocol, Sequence, TypeVar, Union

from .settings import Permits

T = TypeVar("T")


class Body(Protocol):
    """The bytes of a file, which can be sent again."""

    @property
    def size(self) -> int: ...
    @property
    def on_sent(self) -> Callable[[int], None]: ...
    def pieces(self) -> Generator[bytes, None, None]: ...


@dataclass(frozen=True)
class Request:
    """A request whose repetition has no further effect."""

    method: str
    address: str
    headers: Mapping[str, str]
    body: Union[bytes, Body, None] = None
    #: False: the answer may not direct the request, and its key, elsewhere.
    follows: bool = False


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Attempt:
    """Send a request. Outcome: an Answer. Raises NETWORK_ERROR or REQUEST_TIMED_OUT."""

    request: Request
    timeout: float


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Enter:
    """Wait for a turn."""

    permits: Permits


@dataclass(frozen=True)
class Block:
    """Call a function that may block, such as one that reads a file. Outcome: what it returns."""

    act: Callable[[], Any]


@dataclass(frozen=True)
class Next:
    """Take the next item of an iterator. Outcome: a list of it; empty: there is none left."""

    iterator: Any


@dataclass(frozen=True)
class Together:
    """Run several generators at once, to their ends."""

    workers: Sequence[Generator[Any, Any, None]]


Step = Union[Attempt, Pause, Enter, Block, Next, Together]
Steps = Generator[Step, Any, T]


def in_turn(permits: Permits, steps: Steps[T]) -> Steps[T]:
    yield Enter(permits)
    try:
        return (yield from steps)
    finally:
        permits.release()
