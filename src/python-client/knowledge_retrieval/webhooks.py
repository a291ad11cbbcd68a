"""Verifies the requests that a webhook receives, by Standard Webhooks 1.0.0."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import time
from typing import Mapping

from .errors import invalid_argument, parse_json, webhook_not_verified
from .types import WEBHOOK_EVENT_BY_TYPE, WebhookEvent

_PREFIX = "whsec_"


def _from_base64(text: str) -> bytes:
    """Empty where it is no base64."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


def verify_webhook(
    body: bytes | str, headers: Mapping[str, str], secret: str, *, tolerance_seconds: float = 300
) -> WebhookEvent:
    """
    Returns the event of a request that a webhook has received. `body`: the raw one, before any JSON parser, since the
    signature covers its bytes. An event may arrive twice: then the header `webhook-id` is the same. Raises
    WEBHOOK_NOT_VERIFIED unless it comes from the service, unchanged, and just now.
    """
    key = _from_base64(secret[len(_PREFIX) :] if secret.startswith(_PREFIX) else secret)
    if not key:
        raise invalid_argument("secret", "secret must be the secret that create_webhook has returned.")
    lower = {name.lower(): value for name, value in headers.items()}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if name not in lower:
            raise webhook_not_verified(f"The request has no header {name}.")
    timestamp = lower["webhook-timestamp"]
    sent = int(timestamp) if timestamp.isascii() and timestamp.isdigit() and len(timestamp) < 16 else 0
    if abs(time.time() - sent) > tolerance_seconds:
        raise webhook_not_verified("The request is too old, or the clocks differ too much.")
    raw = body.encode() if isinstance(body, str) else bytes(body)
    signed = f"{lower['webhook-id']}.{timestamp}.".encode() + raw
    expected = hmac.new(key, signed, hashlib.sha256).digest()
    for each in lower["webhook-signature"].split(" "):
        version, _, signature = each.partition(",")
        if version == "v1" and hmac.compare_digest(_from_base64(signature), expected):
            event = parse_json(raw)
            # A type that this version of the package does not know has the fields of a document's event.
            model = WEBHOOK_EVENT_BY_TYPE.get(event.get("type"), WEBHOOK_EVENT_BY_TYPE["document.processed"])
            verified: WebhookEvent = model(event)
            return verified
    raise webhook_not_verified("The signature is not one of this secret.")
