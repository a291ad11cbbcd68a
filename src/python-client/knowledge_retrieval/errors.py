"""The one error that the clients raise."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, Mapping, Union
from urllib.parse import urlsplit

from ._core.model import to_python_name

if TYPE_CHECKING:
    from .types import DocumentStatusReport, ErrorCode

#: Codes of the client itself: errors before or without an answer, and imports that fail.
ClientErrorCode = Literal[
    "INVALID_ARGUMENT",
    "FILE_UNREADABLE",
    "NETWORK_ERROR",
    "REQUEST_TIMED_OUT",
    "UNEXPECTED_ANSWER",
    "DOCUMENT_FAILED",
    "DOCUMENT_TIMED_OUT",
    "DEADLINE_PASSED",
    "WEBHOOK_NOT_VERIFIED",
]

#: Characters of an unexpected answer that `data` holds.
_SHOWN_CHARACTERS = 500


class KnowledgeRetrievalError(Exception):
    """The error that every call raises. Branch on `error_code`."""

    def __init__(
        self,
        error_code: Union[ErrorCode, ClientErrorCode],
        message: str,
        data: Mapping[str, Any],
        *,
        status: int | None = None,
        request_id: str | None = None,
        retry_after_seconds: int | None = None,
    ) -> None:
        super().__init__(message)
        self.error_code = error_code
        self.message = message
        #: More about the error; what it holds depends on the code. The names are the service's.
        self.data = data
        #: The HTTP status; None where no answer has arrived.
        self.status = status
        #: Names the request in the service's log.
        self.request_id = request_id
        #: Seconds after which the same request may succeed.
        self.retry_after_seconds = retry_after_seconds

    @property
    def field_errors(self) -> dict[str, list[str]]:
        """What is wrong with each argument, by its name. Empty unless the code is INPUT_VALIDATION_FAILED."""
        found = self.data.get("fieldErrors")
        if not isinstance(found, dict):
            return {}
        return {_argument_of(name): list(sentences) for name, sentences in found.items()}

    def __reduce__(self) -> Any:
        details = {
            "status": self.status,
            "request_id": self.request_id,
            "retry_after_seconds": self.retry_after_seconds,
        }
        return _restore, (self.error_code, self.message, self.data, details)


def _restore(code: Any, message: str, data: Any, details: Any) -> KnowledgeRetrievalError:
    return KnowledgeRetrievalError(code, message, data, **details)


def _argument_of(path: str) -> str:
    """knowledgeBaseIds.0 → knowledge_base_ids.0. What follows the argument, such as an attribute's name, stays."""
    argument, separator, rest = path.partition(".")
    return to_python_name(argument) + separator + rest


def _details_of(status: int, headers: Mapping[str, str]) -> dict[str, Any]:
    retry_after = headers.get("retry-after", "")
    return {
        "status": status,
        "request_id": headers.get("x-request-id"),
        # HTTP also allows a date, which the service never sends: it is ignored.
        "retry_after_seconds": int(retry_after) if retry_after.isascii() and retry_after.isdigit() else None,
    }


def unexpected_answer(status: int, headers: Mapping[str, str], body: bytes) -> KnowledgeRetrievalError:
    message = f"The answer with status {status} is not the service's."
    if 300 <= status < 400:
        target = headers.get("location", "another")
        message = f"The address redirects to {target}, where the key is not sent: give the service's own."
    text = body.decode("utf-8", "replace")[:_SHOWN_CHARACTERS]
    return KnowledgeRetrievalError("UNEXPECTED_ANSWER", message, {"text": text}, **_details_of(status, headers))


def answered_error(status: int, headers: Mapping[str, str], body: bytes) -> KnowledgeRetrievalError:
    """The error of an answer that is not a success."""
    envelope = parse_json(body)
    if not isinstance(envelope, dict) or not {"errorCode", "message", "data"} <= envelope.keys():
        return unexpected_answer(status, headers, body)
    data = envelope["data"] if isinstance(envelope["data"], dict) else {}
    return KnowledgeRetrievalError(
        envelope["errorCode"], str(envelope["message"]), data, **_details_of(status, headers)
    )


def parse_json(body: bytes) -> Any:
    """The value of JSON; None: it is not JSON."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def invalid_argument(argument: str, message: str) -> KnowledgeRetrievalError:
    return KnowledgeRetrievalError("INVALID_ARGUMENT", message, {"argument": argument})


def file_unreadable(path: str, reason: str) -> KnowledgeRetrievalError:
    return KnowledgeRetrievalError("FILE_UNREADABLE", f"{path} cannot be read: {reason}.", {"path": path})


def network_error(address: str) -> KnowledgeRetrievalError:
    parts = urlsplit(address)
    return KnowledgeRetrievalError("NETWORK_ERROR", f"{parts.scheme}://{parts.netloc} did not answer.", {})


def request_timed_out(seconds: float) -> KnowledgeRetrievalError:
    message = f"No answer came within {seconds:g} s."
    return KnowledgeRetrievalError("REQUEST_TIMED_OUT", message, {"timeout": seconds})


def document_failed(report: DocumentStatusReport) -> KnowledgeRetrievalError:
    message = report.error.message if report.error else "The document could not be read."
    return KnowledgeRetrievalError("DOCUMENT_FAILED", message, {"report": report})


def document_timed_out(report: DocumentStatusReport) -> KnowledgeRetrievalError:
    message = "The service gave up reading the document."
    return KnowledgeRetrievalError("DOCUMENT_TIMED_OUT", message, {"report": report})


def deadline_passed(document_id: str, seconds: float) -> KnowledgeRetrievalError:
    message = f"The document was not done within {seconds:g} s."
    return KnowledgeRetrievalError("DEADLINE_PASSED", message, {"documentId": document_id, "deadline": seconds})


def webhook_not_verified(message: str) -> KnowledgeRetrievalError:
    return KnowledgeRetrievalError("WEBHOOK_NOT_VERIFIED", message, {})
