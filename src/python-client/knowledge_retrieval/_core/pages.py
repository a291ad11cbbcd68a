"""Lists: one page, or the items of all pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncIterator,
    Awaitable,
    Callable,
    Generic,
    Iterator,
    Mapping,
    Sequence,
    TypeVar,
    overload,
)

if TYPE_CHECKING:
    from ..types import Pagination, QueryWarning, SearchResult

T = TypeVar("T")

#: Reads the page of these fields.
Read = Callable[[Mapping[str, Any]], "Page[Any]"]
AsyncRead = Callable[[Mapping[str, Any]], "Awaitable[Page[Any]]"]


@dataclass(frozen=True)
class Page(Sequence[T]):
    """One page of a list. `pagination.next_cursor` is the `cursor` of the next one; None: it is the last."""

    data: list[T]
    pagination: Pagination

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        return self.data[index]

    def __len__(self) -> int:
        return len(self.data)


class Pages(Generic[T]):
    """A list. Iterating reads page after page, each when it is due. `limit` is the size of a page."""

    def __init__(self, fields: Mapping[str, Any], read: Read) -> None:
        self._fields = fields
        self._read = read

    def page(self) -> Page[T]:
        """The one page that the arguments ask for: the first, or that of `cursor`."""
        return self._read(self._fields)

    def __iter__(self) -> Iterator[T]:
        fields: Mapping[str, Any] | None = self._fields
        while fields is not None:
            page = self._read(fields)
            yield from page.data
            fields = _after(fields, page)


class AsyncPages(Generic[T]):
    """A list, for `async for`. Iterating reads page after page, each when it is due. `limit` is the size of a page."""

    def __init__(self, fields: Mapping[str, Any], read: AsyncRead) -> None:
        self._fields = fields
        self._read = read

    async def page(self) -> Page[T]:
        """The one page that the arguments ask for: the first, or that of `cursor`."""
        return await self._read(self._fields)

    async def __aiter__(self) -> AsyncIterator[T]:
        fields: Mapping[str, Any] | None = self._fields
        while fields is not None:
            page = await self._read(fields)
            for item in page.data:
                yield item
            fields = _after(fields, page)


def _after(fields: Mapping[str, Any], page: Page[Any]) -> Mapping[str, Any] | None:
    cursor = page.pagination.next_cursor
    return None if cursor is None else {**fields, "cursor": cursor}


class SearchResults(list["SearchResult"]):
    """The passages that a query has found, best first."""

    #: Phrases of the query that no passage has, so that their words were searched.
    phrases_as_words: list[str]
    #: The parts of the search that did not run.
    warnings: list[QueryWarning]
