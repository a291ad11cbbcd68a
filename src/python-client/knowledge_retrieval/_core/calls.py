"""Calls of operations: arguments → request → answer → object."""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import dataclass
from typing import Any, Iterable, Mapping
from urllib.parse import quote

from .model import Model
from .send import send
from .settings import Context, Limits
from .steps import Answer, Request, Steps, in_turn
from ..errors import KnowledgeRetrievalError, invalid_argument, parse_json, unexpected_answer


@dataclass(frozen=True)
class Operation:
    """An operation of the spec. `model`: the class of its `data`, or of each item of it."""

    id: str
    method: str
    model: type[Model]
    is_idempotent_by_key: bool = False


#: Each arrival costs credits.
_CHARGED = {"query"}

#: The id that a deletion names, and the code of what is gone.
_DELETIONS = {
    "deleteKnowledgeBase": ("knowledgeBaseId", "KNOWLEDGE_BASE_NOT_FOUND"),
    "deleteDocument": ("documentId", "DOCUMENT_NOT_FOUND"),
    "deleteWebhook": ("webhookId", "WEBHOOK_NOT_FOUND"),
}

#: The form of a key, as the service accepts it.
_KEY_FORM = re.compile(r"[\x21-\x7e]{1,255}")


def _to_dict(value: object) -> Any:
    """What an object is in JSON: that of an answer may be sent back."""
    if isinstance(value, Model):
        return value.to_dict()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Iterable):
        return list(value)
    raise TypeError(f"{type(value).__name__} is no value of JSON")


def _to_json(value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_to_dict)
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False, default=_to_dict)  # half a character: the service refuses it by name
    except (TypeError, ValueError, RecursionError) as error:
        raise invalid_argument("input", f"The request cannot be made: {error}") from error
    return text


def _to_query(fields: Mapping[str, Any]) -> str:
    """Objects, lists, numbers and truth values are JSON there, too."""
    texts = {name: value if isinstance(value, str) else _to_json(value) for name, value in fields.items()}
    return "&".join(f"{quote(name, '')}={quote(text, '', errors='replace')}" for name, text in texts.items())


def _to_request(context: Context, operation: Operation, fields: Mapping[str, Any], key: str | None) -> Request:
    given = {name: value for name, value in fields.items() if value is not None}
    headers = {"x-api-key": context.api_key, "accept": "application/json"}
    if operation.is_idempotent_by_key:
        key = secrets.token_hex(16) if key is None else key
        if not (isinstance(key, str) and _KEY_FORM.fullmatch(key)):
            message = "idempotency_key must be 1 to 255 visible ASCII characters."
            raise invalid_argument("idempotency_key", message)
        headers["idempotency-key"] = key
    address = f"{context.base_url}/v1/{operation.id}"
    if operation.method == "GET":
        query = _to_query(given)
        return Request("GET", f"{address}?{query}" if query else address, headers)
    headers["content-type"] = "application/json"
    return Request(operation.method, address, headers, _to_json(given).encode())


def _envelope_of(answer: Answer) -> dict[str, Any]:
    """Each success of the service has an object or array in `data`."""
    envelope = parse_json(answer.body)
    if isinstance(envelope, dict) and isinstance(envelope.get("data"), (dict, list)):
        return envelope
    raise unexpected_answer(answer.status, answer.headers, answer.body)


def call(
    context: Context,
    operation: Operation,
    fields: Mapping[str, Any],
    limits: Limits,
    idempotency_key: str | None = None,
) -> Steps[dict[str, Any]]:
    """The envelope of a success. All attempts have the same Idempotency-Key."""
    request = _to_request(context, operation, fields, idempotency_key)
    wait = fields.get("waitSeconds") or 0
    lost: list[bool] = []
    steps = in_turn(
        context.requests,
        send(
            request,
            limits.longer(wait) if isinstance(wait, (int, float)) and wait > 0 else limits,
            context.answered_origins,
            is_charged=operation.id in _CHARGED,
            on_lost_answer=lambda: lost.append(True),
        ),
    )
    try:
        return _envelope_of((yield from in_turn(context.long_polls, steps) if wait else steps))
    except KnowledgeRetrievalError as error:
        name, gone = _DELETIONS.get(operation.id, ("", ""))
        if lost and error.error_code == gone:
            return {"data": {"id": fields[name]}}  # the lost request has deleted it
        raise


def call_for_data(
    context: Context,
    operation: Operation,
    fields: Mapping[str, Any],
    limits: Limits,
    idempotency_key: str | None = None,
) -> Steps[Any]:
    """The object in `data` of a success."""
    envelope = yield from call(context, operation, fields, limits, idempotency_key)
    return operation.model(envelope["data"])
