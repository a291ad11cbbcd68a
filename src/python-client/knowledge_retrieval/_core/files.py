"""Opens the file to upload: by its path, from memory, or as a file object."""

from __future__ import annotations

import errno
import io
import os
from dataclasses import dataclass
from typing import IO, Any, Callable, Generator, Union

from ..errors import KnowledgeRetrievalError, file_unreadable, invalid_argument

#: A path, the bytes themselves, or a file object that was opened in binary mode.
File = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, IO[bytes]]

#: The largest file that the service takes (`presignUploadUrl`, `size`): 50 MiB.
FILE_SIZE_MAX = 52_428_800
#: 200 reports for the largest file.
_PIECE_BYTES = 262_144

_WANTED = "file must be a path, bytes, or a file object that was opened in binary mode"

_REASONS = {
    errno.ENOENT: "there is no such file",
    errno.ENOTDIR: "there is no such file",
    errno.EISDIR: "it is a directory",
    errno.EACCES: "permission is denied",
    errno.EPERM: "permission is denied",
}


@dataclass(frozen=True)
class OpenedFile:
    """A file whose size is known. `open` begins a new reading of its bytes."""

    file_name: str
    size: int
    open: Callable[[], IO[bytes]]
    #: Whether the reading is ours to close.
    is_own: bool = True


@dataclass(frozen=True)
class FileBody:
    """The bytes of a file as the body of a request, read while they are sent."""

    file: OpenedFile
    on_sent: Callable[[int], None]

    @property
    def size(self) -> int:
        return self.file.size

    def pieces(self) -> Generator[bytes, None, None]:
        name, size = self.file.file_name, self.file.size
        try:
            stream = self.file.open()
            try:
                read = 0
                while read < size:
                    piece = stream.read(min(_PIECE_BYTES, size - read))
                    if not piece:
                        raise file_unreadable(name, f"it has {read} bytes, and had {size}")
                    read += len(piece)
                    yield piece
            finally:
                if self.file.is_own:
                    stream.close()
        except OSError as error:
            raise _unreadable(name, error) from error


def _unreadable(name: str, error: OSError) -> KnowledgeRetrievalError:
    return file_unreadable(name, _REASONS.get(error.errno or 0, str(error)))


def own_name_of(file: Any) -> str | None:
    """The name that a file brings; None: it has none."""
    name = file if isinstance(file, (str, os.PathLike)) else getattr(file, "name", None)
    if isinstance(name, os.PathLike):
        name = os.fspath(name)
    return os.path.basename(name) or None if isinstance(name, str) else None


def open_file(file: Any, given_name: str | None) -> OpenedFile:
    """Checks a file before anything is sent. Raises FILE_UNREADABLE, or INVALID_ARGUMENT where it is no file."""
    name = given_name if given_name is not None else own_name_of(file)
    if isinstance(file, (str, os.PathLike)):
        return _open_path(file, name or "")
    if not isinstance(file, (bytes, bytearray, memoryview)) and not hasattr(file, "read"):
        raise invalid_argument("file", f"{_WANTED}, not {type(file).__name__}.")
    if name is None:
        raise invalid_argument("file_name", "A file without a name needs a file_name.")
    if isinstance(file, (bytes, bytearray, memoryview)):
        return _from_bytes(bytes(file), name)
    try:
        return _open_object(file, name)
    except OSError as error:
        raise _unreadable(name, error) from error
    except ValueError as error:  # it is closed
        raise file_unreadable(name, str(error)) from error


def _from_bytes(content: bytes, name: str) -> OpenedFile:
    return OpenedFile(name, len(content), lambda: io.BytesIO(content))


def _open_path(path: str | os.PathLike[str], name: str) -> OpenedFile:
    shown = os.fspath(path)
    try:
        if os.path.isdir(path):
            raise file_unreadable(shown, "it is a directory")
        if os.path.exists(path) and not os.path.isfile(path):
            raise file_unreadable(shown, "it is not a regular file")
        with open(path, "rb") as opened:
            size = os.fstat(opened.fileno()).st_size
    except OSError as error:
        raise _unreadable(shown, error) from error
    except ValueError as error:  # a path with a zero character
        raise file_unreadable(shown, str(error)) from error
    return OpenedFile(name, size, lambda: open(path, "rb"))


def _open_object(file: IO[bytes], name: str) -> OpenedFile:
    """From where it stands to its end. One that cannot go back is read now, since it may have to be sent again."""
    if isinstance(file, io.TextIOBase):
        raise invalid_argument("file", f"{_WANTED}: open it with 'rb'.")
    if not (hasattr(file, "seekable") and file.seekable()):
        content = file.read(FILE_SIZE_MAX + 1)
        if not isinstance(content, bytes):
            raise invalid_argument("file", f"{_WANTED}; reading it gave {type(content).__name__}.")
        if len(content) > FILE_SIZE_MAX:
            raise invalid_argument("file", f"{name} is larger than 50 MiB, the most that a file may have.")
        return _from_bytes(content, name)
    start = file.tell()
    size = file.seek(0, os.SEEK_END) - start
    file.seek(start)

    def again() -> IO[bytes]:
        file.seek(start)
        return file

    return OpenedFile(name, max(0, size), again, is_own=False)
