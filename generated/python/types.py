"""Types of the service's requests and answers. Generated from its spec: do not edit."""

from __future__ import annotations

from typing import Any, List, Literal, Mapping, Sequence, TypedDict, Union

from ._core.model import Model

#: `pending` (accepted), then `processing` (being read), then one of the three final ones, which never change by themselves. They are `processed` (searchable now), `failed` (see `error`) and `timeout` (not read in time).
DocumentStatus = Literal["pending", "processing", "processed", "failed", "timeout"]


#: The document's format, detected from its content and, where that does not decide, from its file name. `csv` is also a table with tabs, `json` also a notebook (ipynb) or JSON by lines (jsonl). `image` is a picture (png, jpg, tiff, webp, gif, bmp). `text` is imported text, `unknown` a file of an unknown format.
DocumentType = Literal["pdf", "docx", "pptx", "xlsx", "xls", "html", "txt", "csv", "xml", "md", "json", "odt", "odp", "ods", "rtf", "epub", "text", "unknown", "doc", "ppt", "eml", "msg", "mhtml", "zip", "srt", "vtt", "image"]


#: Why a document is not searchable. `UNSUPPORTED_FILE_TYPE`: the service does not read this format. `FILE_CORRUPT`: damaged. `FILE_ENCRYPTED`: needs a password. `NO_TEXT_EXTRACTED`: no text in it, for example blank pages. `FILE_TOO_COMPLEX`: too large after unpacking, too slow to read, or a text of more than 10 million characters. `PROCESSING_TIMEOUT`: not read before the deadline. `INTERNAL_ERROR`: a fault of the service.
DocumentErrorCode = Literal["UNSUPPORTED_FILE_TYPE", "FILE_CORRUPT", "FILE_ENCRYPTED", "NO_TEXT_EXTRACTED", "FILE_TOO_COMPLEX", "PROCESSING_TIMEOUT", "INTERNAL_ERROR", "URL_NOT_ALLOWED", "URL_NOT_FOUND", "URL_REFUSED", "URL_UNREACHABLE", "FILE_TOO_LARGE", "STORAGE_LIMIT_EXCEEDED"]


#: Facts about a document that the caller has chosen, up to 16. A name has up to 64 characters: letters, digits, `_`, `.` and `-`. A value is a text, a number, a boolean or a list of texts. All texts together have up to 16,384 characters. Documents without attributes lack this field.
Attributes = Mapping[str, "AttributeValue"]


#: A text, a number, a boolean, or a list of up to 16 texts.
AttributeValue = Union[str, float, bool, Sequence[str]]


#: With `skip`, an import of content that the knowledge base has already makes nothing new. The existing document is the answer, with `unchanged: true`. Content is the same if its SHA-256 is.
IfUnchanged = Literal["skip"]


#: What kind of warning it is. `PAGES_WITHOUT_TEXT`: pages without text in a file that has text; OCR has found none in their pictures, or is off. `PAGES_NOT_READ`: damaged pages. `TEXT_UNRELIABLE`: text that may be wrong, for example recognised with much doubt, in a font that does not say which letters it draws, or the bytes of a file whose name says that it is no text. `FILE_CUT_OFF`: the file ends early; what is there was read. `PARTS_NOT_READ`: parts such as pictures of text, embedded objects or attachments, or damaged or encrypted parts. `LIMIT_REACHED`: what lies beyond a bound of the service was left out.
DocumentWarningCode = Literal["PAGES_WITHOUT_TEXT", "PAGES_NOT_READ", "TEXT_UNRELIABLE", "FILE_CUT_OFF", "PARTS_NOT_READ", "LIMIT_REACHED"]


#: `document.processed`: a document can be searched now. `document.failed`: its import ended as `failed` or `timeout`. `document.deleted`: it was deleted, alone. `knowledgeBase.deleted`: a knowledge base was deleted with all its documents, for which no other events come.
SubscribableEventType = Literal["document.processed", "document.failed", "document.deleted", "knowledgeBase.deleted"]


#: The type of an event that was sent; `webhook.test` comes from testWebhook.
WebhookEventType = Literal["document.processed", "document.failed", "document.deleted", "knowledgeBase.deleted", "webhook.test"]


#: What finds passages and orders them: the `words` of the query alone, nearness in `meaning` alone, or `both`.
SearchMode = Literal["words", "meaning", "both"]


#: A condition on documents, in JSON or as text.
FilterOrText = Union["Filter", str]


#: A condition on documents: a comparison of one of their values, or several conditions joined by `and`, `or` or `not`. In all up to 64 conditions, 32 of them `contains`, 8 levels, 256 values in lists, and 16,384 characters in the texts.
Filter = Union[Union["FilterByValueInput", "FilterByValue"], Union["FilterByOrderInput", "FilterByOrder"], Union["FilterByListInput", "FilterByList"], Union["FilterByPartInput", "FilterByPart"], Union["FilterByPresenceInput", "FilterByPresence"], Union["FilterGroupInput", "FilterGroup"]]


#: A text, a number or a boolean.
FilterValue = Union[str, float, bool]


#: A field of a search result.
SearchResultField = Literal["id", "score", "document_id", "knowledge_base_id", "title", "type", "content", "metadata", "location", "attributes", "sourceUrl", "externalId", "context", "highlights", "snippet", "explanation", "duplicates"]


#: How the passage has a term of the query: in any form of the `word` itself; by a longer word that begins with it (`completion`, only with `prefix`); by a `guess`: a word near it, because no passage has the word; or by a `synonym` of `setSynonyms`. One of several words counts for each of them.
TermMatch = Literal["word", "completion", "guess", "synonym"]


#: Whether the service still takes the key.
KeyStatus = Literal["valid", "revoked", "expired"]


#: `search`: queries, lists and reads. `write`: imports, changes and deletions too.
KeyScope = Literal["search", "write"]


#: `enabled`, or `disabled`: no events are recorded or sent, until testWebhook succeeds.
WebhookStatus = Literal["enabled", "disabled"]


#: The body of the requests that a receiver of events gets. `data` is what the event tells of, as it was then.
WebhookEvent = Union["DocumentEvent", "KnowledgeBaseEvent", "TestEvent"]


#: What did not run, and why. `MEANING_TIMEOUT`: the model of the service did not answer in time, so the words of the query alone did. `MEANING_UNAVAILABLE`: it cannot be reached, or refused. `RERANK_TIMEOUT` and `RERANK_UNAVAILABLE`: the same of the model that orders the best passages; they are in the order without it.
QueryWarningCode = Literal["MEANING_TIMEOUT", "MEANING_UNAVAILABLE", "RERANK_TIMEOUT", "RERANK_UNAVAILABLE", "MEANING_OFF", "LANGUAGE_DIFFERS", "FILTER_ATTRIBUTE_UNKNOWN", "FILTER_TYPE_DIFFERS"]


#: The type of a value; a `list` is one of texts.
AttributeType = Literal["text", "number", "boolean", "list"]


#: Every errorCode of the service. Each has one HTTP status. FILE_ALREADY_IMPORTED (409) comes only from an upload address, DOWNLOAD_EXPIRED (410) and RANGE_NOT_SATISFIABLE (416) only from a download address. The codes of UnexpectedError come before a request reaches an operation.
ErrorCode = Literal["STORAGE_LIMIT_EXCEEDED", "INPUT_VALIDATION_FAILED", "MALFORMED_REQUEST", "UNAUTHORIZED", "INSUFFICIENT_CREDITS", "KNOWLEDGE_BASE_LIMIT_EXCEEDED", "KEY_NOT_PERMITTED", "WEBHOOK_LIMIT_EXCEEDED", "NOT_FOUND", "KNOWLEDGE_BASE_NOT_FOUND", "DOCUMENT_NOT_FOUND", "FILE_NOT_FOUND", "WEBHOOK_NOT_FOUND", "KEY_NOT_FOUND", "METHOD_NOT_ALLOWED", "REQUEST_TIMEOUT", "FILE_NOT_UPLOADED", "FILE_ALREADY_IMPORTED", "UPLOAD_EXPIRED", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "IDEMPOTENCY_KEY_REUSED", "DOCUMENT_NOT_RETRYABLE", "DOCUMENT_HAS_NO_FILE", "DOWNLOAD_EXPIRED", "RANGE_NOT_SATISFIABLE", "RATE_LIMITED", "HEADERS_TOO_LARGE", "INTERNAL_ERROR", "SERVICE_UNAVAILABLE"]


class _SynonymGroupInput(TypedDict):
    terms: Sequence[str]
    """
    Each of these terms finds the passages with any other one; with `finds`, those with its terms instead.

    1 to 20 items.
    """


class SynonymGroupInput(_SynonymGroupInput, total=False):
    """
    Terms of the same meaning, two at least; or with `finds`, terms that find others. A term is only once in a
    group: upper and lower case do not matter.
    """

    finds: Sequence[str]
    """
    Terms that are found by those in `terms`, and find none of them.

    1 to 20 items.
    """


class FilterByValueInput(TypedDict):
    """The document's value equals this one (`eq`), or does not (`ne`)."""

    type: Literal["eq", "ne"]
    """The comparison."""
    key: str
    """
    The name of an attribute, or a field of the document itself: `$type`, `$title`, `$sourceUrl` or `$createdAt`.
    The values for `$createdAt` are times in ISO 8601 with their zone, such as `2026-01-15T09:28:41.903Z`, or days,
    which begin at midnight UTC.

    At most 64 characters.
    """
    value: FilterValue
    """A text, a number or a boolean."""


class FilterByOrderInput(TypedDict):
    """
    The document's value is greater than this one (`gt`), at least as great (`gte`), less (`lt`), or at most as
    great (`lte`). Texts are in the order of their code points.
    """

    type: Literal["gt", "gte", "lt", "lte"]
    """The comparison."""
    key: str
    """
    The name of an attribute, or a field of the document itself: `$type`, `$title`, `$sourceUrl` or `$createdAt`.
    The values for `$createdAt` are times in ISO 8601 with their zone, such as `2026-01-15T09:28:41.903Z`, or days,
    which begin at midnight UTC.

    At most 64 characters.
    """
    value: Union[str, float]
    """A text or a number."""


class FilterByListInput(TypedDict):
    """The document's value is one of these (`in`), or none of them (`nin`)."""

    type: Literal["in", "nin"]
    """The comparison."""
    key: str
    """
    The name of an attribute, or a field of the document itself: `$type`, `$title`, `$sourceUrl` or `$createdAt`.
    The values for `$createdAt` are times in ISO 8601 with their zone, such as `2026-01-15T09:28:41.903Z`, or days,
    which begin at midnight UTC.

    At most 64 characters.
    """
    value: Sequence[FilterValue]
    """
    The values to compare with. In an empty list there is none.

    At most 100 items.
    """


class FilterByPartInput(TypedDict):
    """
    The document's text has this one as a part, in the same letters and case; or one of the texts of its list is
    this one.
    """

    type: Literal["contains"]
    """The comparison."""
    key: str
    """
    The name of an attribute, or a field of the document itself: `$type`, `$title`, `$sourceUrl` or `$createdAt`.
    The values for `$createdAt` are times in ISO 8601 with their zone, such as `2026-01-15T09:28:41.903Z`, or days,
    which begin at midnight UTC.

    At most 64 characters.
    """
    value: str
    """
    A text to compare with.

    At most 2,048 characters.
    """


class FilterByPresenceInput(TypedDict):
    """The document has a value, of any type."""

    type: Literal["exists"]
    """The comparison."""
    key: str
    """
    The name of an attribute, or a field of the document itself: `$type`, `$title`, `$sourceUrl` or `$createdAt`.
    The values for `$createdAt` are times in ISO 8601 with their zone, such as `2026-01-15T09:28:41.903Z`, or days,
    which begin at midnight UTC.

    At most 64 characters.
    """


class FilterGroupInput(TypedDict):
    """All conditions apply (`and`), at least one of them (`or`), or none of them (`not`)."""

    type: Literal["and", "or", "not"]
    """How the conditions are joined."""
    filters: Sequence[Filter]
    """
    The conditions.

    1 to 63 items.
    """


class SynonymGroup(Model):
    """
    Terms of the same meaning, two at least; or with `finds`, terms that find others. A term is only once in a
    group: upper and lower case do not matter.
    """

    terms: List[str]
    """
    Each of these terms finds the passages with any other one; with `finds`, those with its terms instead.

    1 to 20 items.
    """
    finds: List[str] | None
    """
    Terms that are found by those in `terms`, and find none of them.

    1 to 20 items.
    """

    _fields = {
        "terms": "terms",
        "finds": "finds",
    }
    _required = frozenset(("terms",))


class DocumentWarning(Model):
    """A part of a file that was not read, or not reliably."""

    code: DocumentWarningCode
    """
    What kind of warning it is. `PAGES_WITHOUT_TEXT`: pages without text in a file that has text; OCR has found none
    in their pictures, or is off. `PAGES_NOT_READ`: damaged pages. `TEXT_UNRELIABLE`: text that may be wrong, for
    example recognised with much doubt, in a font that does not say which letters it draws, or the bytes of a file
    whose name says that it is no text. `FILE_CUT_OFF`: the file ends early; what is there was read.
    `PARTS_NOT_READ`: parts such as pictures of text, embedded objects or attachments, or damaged or encrypted
    parts. `LIMIT_REACHED`: what lies beyond a bound of the service was left out.
    """
    message: str
    """
    One or a few sentences for people that say what is missing, and where in the file.

    1 to 1,000 characters.
    """

    _fields = {
        "code": "code",
        "message": "message",
    }
    _required = frozenset(("code", "message",))


class FilterByValue(Model):
    """The document's value equals this one (`eq`), or does not (`ne`)."""

    type: Literal["eq", "ne"]
    """The comparison."""
    key: str
    """
    The name of an attribute, or a field of the document itself: `$type`, `$title`, `$sourceUrl` or `$createdAt`.
    The values for `$createdAt` are times in ISO 8601 with their zone, such as `2026-01-15T09:28:41.903Z`, or days,
    which begin at midnight UTC.

    At most 64 characters.
    """
    value: FilterValue
    """A text, a number or a boolean."""

    _fields = {
        "type": "type",
        "key": "key",
        "value": "value",
    }
    _required = frozenset(("type", "key", "value",))


class FilterByOrder(Model):
    """
    The document's value is greater than this one (`gt`), at least as great (`gte`), less (`lt`), or at most as
    great (`lte`). Texts are in the order of their code points.
    """

    type: Literal["gt", "gte", "lt", "lte"]
    """The comparison."""
    key: str
    """
    The name of an attribute, or a field of the document itself: `$type`, `$title`, `$sourceUrl` or `$createdAt`.
    The values for `$createdAt` are times in ISO 8601 with their zone, such as `2026-01-15T09:28:41.903Z`, or days,
    which begin at midnight UTC.

    At most 64 characters.
    """
    value: Union[str, float]
    """A text or a number."""

    _fields = {
        "type": "type",
        "key": "key",
        "value": "value",
    }
    _required = frozenset(("type", "key", "value",))


class FilterByList(Model):
    """The document's value is one of these (`in`), or none of them (`nin`)."""

    type: Literal["in", "nin"]
    """The comparison."""
    key: str
    """
    The name of an attribute, or a field of the document itself: `$type`, `$title`, `$sourceUrl` or `$createdAt`.
    The values for `$createdAt` are times in ISO 8601 with their zone, such as `2026-01-15T09:28:41.903Z`, or days,
    which begin at midnight UTC.

    At most 64 characters.
    """
    value: List[FilterValue]
    """
    The values to compare with. In an empty list there is none.

    At most 100 items.
    """

    _fields = {
        "type": "type",
        "key": "key",
        "value": "value",
    }
    _required = frozenset(("type", "key", "value",))


class FilterByPart(Model):
    """
    The document's text has this one as a part, in the same letters and case; or one of the texts of its list is
    this one.
    """

    type: Literal["contains"]
    """The comparison."""
    key: str
    """
    The name of an attribute, or a field of the document itself: `$type`, `$title`, `$sourceUrl` or `$createdAt`.
    The values for `$createdAt` are times in ISO 8601 with their zone, such as `2026-01-15T09:28:41.903Z`, or days,
    which begin at midnight UTC.

    At most 64 characters.
    """
    value: str
    """
    A text to compare with.

    At most 2,048 characters.
    """

    _fields = {
        "type": "type",
        "key": "key",
        "value": "value",
    }
    _required = frozenset(("type", "key", "value",))


class FilterByPresence(Model):
    """The document has a value, of any type."""

    type: Literal["exists"]
    """The comparison."""
    key: str
    """
    The name of an attribute, or a field of the document itself: `$type`, `$title`, `$sourceUrl` or `$createdAt`.
    The values for `$createdAt` are times in ISO 8601 with their zone, such as `2026-01-15T09:28:41.903Z`, or days,
    which begin at midnight UTC.

    At most 64 characters.
    """

    _fields = {
        "type": "type",
        "key": "key",
    }
    _required = frozenset(("type", "key",))


class FilterGroup(Model):
    """All conditions apply (`and`), at least one of them (`or`), or none of them (`not`)."""

    type: Literal["and", "or", "not"]
    """How the conditions are joined."""
    filters: List[Filter]
    """
    The conditions.

    1 to 63 items.
    """

    _fields = {
        "type": "type",
        "filters": "filters",
    }
    _required = frozenset(("type", "filters",))


class DocumentsByStatus(Model):
    """The number of documents in each status. Together they are the `documentCount`."""

    pending: int
    """
    A number of things.

    0 to 9,007,199,254,740,991.
    """
    processing: int
    """
    A number of things.

    0 to 9,007,199,254,740,991.
    """
    processed: int
    """
    A number of things.

    0 to 9,007,199,254,740,991.
    """
    failed: int
    """
    A number of things.

    0 to 9,007,199,254,740,991.
    """
    timeout: int
    """
    A number of things.

    0 to 9,007,199,254,740,991.
    """

    _fields = {
        "pending": "pending",
        "processing": "processing",
        "processed": "processed",
        "failed": "failed",
        "timeout": "timeout",
    }
    _required = frozenset(("pending", "processing", "processed", "failed", "timeout",))


class KnowledgeBase(Model):
    """A collection of documents, searched alone or together with others."""

    id: str
    """
    Identifies a knowledge base. A UUID; any other text of this length is unknown, not invalid.

    36 characters.
    """
    name: str
    """
    A name for people. It need not be unique.

    1 to 100 characters.
    """
    description: str
    """
    What the knowledge base is for. Empty when none was given.

    At most 1,000 characters.
    """
    created_at: str
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """
    updated_at: str
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """
    document_count: int | None
    """
    A number of things.

    0 to 9,007,199,254,740,991.
    """
    passage_count: int | None
    """
    A number of things.

    0 to 9,007,199,254,740,991.
    """
    storage_used: int | None
    """
    A number of bytes.

    0 to 9,007,199,254,740,991.
    """
    documents_by_status: DocumentsByStatus | None
    """The number of documents in each status. Together they are the `documentCount`."""
    documents_without_vectors: int | None
    """
    Only where the service compares meanings by a model: how many processed documents wait for the vectors of some
    of their passages. Until then, these are found by their words alone. `getDocumentStatus` says how far a document
    is.

    0 to 9,007,199,254,740,991.
    """

    _fields = {
        "id": "id",
        "name": "name",
        "description": "description",
        "created_at": "createdAt",
        "updated_at": "updatedAt",
        "document_count": "documentCount",
        "passage_count": "passageCount",
        "storage_used": "storageUsed",
        "documents_by_status": ("documentsByStatus", DocumentsByStatus),
        "documents_without_vectors": "documentsWithoutVectors",
    }
    _required = frozenset(("id", "name", "description", "created_at", "updated_at",))


class DocumentError(Model):
    """Why the document is not searchable; present only if the status is `failed` or `timeout`."""

    code: DocumentErrorCode
    """
    Why a document is not searchable. `UNSUPPORTED_FILE_TYPE`: the service does not read this format.
    `FILE_CORRUPT`: damaged. `FILE_ENCRYPTED`: needs a password. `NO_TEXT_EXTRACTED`: no text in it, for example
    blank pages. `FILE_TOO_COMPLEX`: too large after unpacking, too slow to read, or a text of more than 10 million
    characters. `PROCESSING_TIMEOUT`: not read before the deadline. `INTERNAL_ERROR`: a fault of the service.

    Only of imports by address: `URL_NOT_ALLOWED`: the service does not open this address, for example one in a
    private network. `URL_NOT_FOUND`: status 404 or 410. `URL_REFUSED`: another status 4xx, for example since the
    page needs a login. `URL_UNREACHABLE`: no whole file came, also at further tries. `FILE_TOO_LARGE`: more than 50
    MiB. `STORAGE_LIMIT_EXCEEDED`: the file would pass the account's storage limit.
    """
    message: str
    """The reason as a sentence for people."""

    _fields = {
        "code": "code",
        "message": "message",
    }
    _required = frozenset(("code", "message",))


class Document(Model):
    """An imported file or text, with the status of its import."""

    id: str
    """
    Identifies a document. Opaque; letters, digits, `-` and `_`.

    1 to 128 characters.
    """
    title: str
    """
    The title of imported text, or the file name of an upload.

    1 to 256 characters.
    """
    type: DocumentType
    """
    The document's format, detected from its content and, where that does not decide, from its file name. `csv` is
    also a table with tabs, `json` also a notebook (ipynb) or JSON by lines (jsonl). `image` is a picture (png, jpg,
    tiff, webp, gif, bmp). `text` is imported text, `unknown` a file of an unknown format.
    """
    size: int
    """
    Bytes of the file, or of imported text in UTF-8. 0 until the file of an address has been fetched.

    0 to 52,428,800.
    """
    status: DocumentStatus
    """
    `pending` (accepted), then `processing` (being read), then one of the three final ones, which never change by
    themselves. They are `processed` (searchable now), `failed` (see `error`) and `timeout` (not read in time).
    """
    created_at: str
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """
    updated_at: str | None
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """
    knowledge_base_id: str | None
    """
    Identifies a knowledge base. A UUID; any other text of this length is unknown, not invalid.

    36 characters.
    """
    passage_count: int | None
    """
    How many passages there are; 0 until the document is processed.

    0 to 2,147,483,647.
    """
    page_count: int | None
    """
    How many pages, slides or sheets the file has; only in formats with pages, after it was read.

    0 to 2,147,483,647.
    """
    warnings: List[DocumentWarning] | None
    """
    What a search cannot find, or may find wrong, although the file was read; empty if there is nothing. A document
    that has failed has those that were found before.

    At most 32 items.
    """
    error: DocumentError | None
    """Why the document is not searchable; present only if the status is `failed` or `timeout`."""
    attributes: Attributes | None
    """
    Facts about a document that the caller has chosen, up to 16. A name has up to 64 characters: letters, digits,
    `_`, `.` and `-`. A value is a text, a number, a boolean or a list of texts. All texts together have up to
    16,384 characters. Documents without attributes lack this field.

    At most 16 fields.
    """
    source_url: str | None
    """
    Where readers find the original, an `http` or `https` address without backslashes, control characters and marks
    of the direction of writing. Search results repeat it for citations. Only `importUrl` opens an address, which
    becomes the source of its document.

    1 to 2,048 characters.
    """
    external_id: str | None
    """
    The caller's own id of the document, such as a path or the key of a record, compared as it is. A document
    replaces the earlier ones with its `externalId` in the same knowledge base when it is `processed`, whether these
    are processed or not. One that fails replaces nothing. While both exist, both count as stored.

    1 to 256 characters.
    """
    sha256: str | None
    """
    SHA-256 of the file's bytes or of the text in UTF-8, in hexadecimal digits. Only documents with an `externalId`
    have this field: compare it with a file, to skip the upload of unchanged ones.

    64 characters.
    """
    replaces: str | None
    """
    The document that this one replaces, if there is one: the last that was found under its `externalId`. It exists
    until this one is `processed`.

    1 to 128 characters.
    """
    unchanged: Literal[True] | None
    """
    Only in the answer to an import with `ifUnchanged: skip`, and in the event `document.processed` of an import by
    address, and then true: this document has the content already, and the import made nothing new.
    """

    _fields = {
        "id": "id",
        "title": "title",
        "type": "type",
        "size": "size",
        "status": "status",
        "created_at": "createdAt",
        "updated_at": "updatedAt",
        "knowledge_base_id": "knowledgeBaseId",
        "passage_count": "passageCount",
        "page_count": "pageCount",
        "warnings": ("warnings", DocumentWarning),
        "error": ("error", DocumentError),
        "attributes": "attributes",
        "source_url": "sourceUrl",
        "external_id": "externalId",
        "sha256": "sha256",
        "replaces": "replaces",
        "unchanged": "unchanged",
    }
    _required = frozenset(("id", "title", "type", "size", "status", "created_at",))


class LanguageShare(Model):
    """One language of a document, and how many of its passages are in it."""

    language: str
    """
    The language by whose rules a passage was analysed, as an English name in lower case; `simple` if none fits.

    1 to 64 characters.
    """
    passage_count: int
    """
    How many passages there are; 0 until the document is processed.

    0 to 2,147,483,647.
    """

    _fields = {
        "language": "language",
        "passage_count": "passageCount",
    }
    _required = frozenset(("language", "passage_count",))


class DocumentFile(Model):
    """The uploaded file; absent if the document is imported text."""

    id: str
    """
    Identifies an uploaded file. Opaque; letters, digits, `-` and `_`.

    1 to 128 characters.
    """
    sha256: str | None
    """
    The SHA-256 hash of the bytes, once they have been read.

    64 characters.
    """
    uploaded_at: str | None
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """

    _fields = {
        "id": "id",
        "sha256": "sha256",
        "uploaded_at": "uploadedAt",
    }
    _required = frozenset(("id",))


class DocumentDetails(Model):
    """A document with all details."""

    id: str
    """
    Identifies a document. Opaque; letters, digits, `-` and `_`.

    1 to 128 characters.
    """
    title: str
    """
    The title of imported text, or the file name of an upload.

    1 to 256 characters.
    """
    type: DocumentType
    """
    The document's format, detected from its content and, where that does not decide, from its file name. `csv` is
    also a table with tabs, `json` also a notebook (ipynb) or JSON by lines (jsonl). `image` is a picture (png, jpg,
    tiff, webp, gif, bmp). `text` is imported text, `unknown` a file of an unknown format.
    """
    size: int
    """
    Bytes of the file, or of imported text in UTF-8. 0 until the file of an address has been fetched.

    0 to 52,428,800.
    """
    status: DocumentStatus
    """
    `pending` (accepted), then `processing` (being read), then one of the three final ones, which never change by
    themselves. They are `processed` (searchable now), `failed` (see `error`) and `timeout` (not read in time).
    """
    created_at: str
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """
    updated_at: str | None
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """
    knowledge_base_id: str | None
    """
    Identifies a knowledge base. A UUID; any other text of this length is unknown, not invalid.

    36 characters.
    """
    passage_count: int | None
    """
    How many passages there are; 0 until the document is processed.

    0 to 2,147,483,647.
    """
    page_count: int | None
    """
    How many pages, slides or sheets the file has; only in formats with pages, after it was read.

    0 to 2,147,483,647.
    """
    warnings: List[DocumentWarning] | None
    """
    What a search cannot find, or may find wrong, although the file was read; empty if there is nothing. A document
    that has failed has those that were found before.

    At most 32 items.
    """
    error: DocumentError | None
    """Why the document is not searchable; present only if the status is `failed` or `timeout`."""
    source: str | None
    """
    The title of imported text, or the file name of an upload.

    1 to 256 characters.
    """
    languages: List[LanguageShare] | None
    """
    The languages of the passages, the most frequent first; empty while there are no passages.

    At most 100 items.
    """
    file: DocumentFile | None
    """The uploaded file; absent if the document is imported text."""
    attributes: Attributes | None
    """
    Facts about a document that the caller has chosen, up to 16. A name has up to 64 characters: letters, digits,
    `_`, `.` and `-`. A value is a text, a number, a boolean or a list of texts. All texts together have up to
    16,384 characters. Documents without attributes lack this field.

    At most 16 fields.
    """
    source_url: str | None
    """
    Where readers find the original, an `http` or `https` address without backslashes, control characters and marks
    of the direction of writing. Search results repeat it for citations. Only `importUrl` opens an address, which
    becomes the source of its document.

    1 to 2,048 characters.
    """
    external_id: str | None
    """
    The caller's own id of the document, such as a path or the key of a record, compared as it is. A document
    replaces the earlier ones with its `externalId` in the same knowledge base when it is `processed`, whether these
    are processed or not. One that fails replaces nothing. While both exist, both count as stored.

    1 to 256 characters.
    """
    sha256: str | None
    """
    SHA-256 of the file's bytes or of the text in UTF-8, in hexadecimal digits. Only documents with an `externalId`
    have this field: compare it with a file, to skip the upload of unchanged ones.

    64 characters.
    """
    replaces: str | None
    """
    The document that this one replaces, if there is one: the last that was found under its `externalId`. It exists
    until this one is `processed`.

    1 to 128 characters.
    """

    _fields = {
        "id": "id",
        "title": "title",
        "type": "type",
        "size": "size",
        "status": "status",
        "created_at": "createdAt",
        "updated_at": "updatedAt",
        "knowledge_base_id": "knowledgeBaseId",
        "passage_count": "passageCount",
        "page_count": "pageCount",
        "warnings": ("warnings", DocumentWarning),
        "error": ("error", DocumentError),
        "source": "source",
        "languages": ("languages", LanguageShare),
        "file": ("file", DocumentFile),
        "attributes": "attributes",
        "source_url": "sourceUrl",
        "external_id": "externalId",
        "sha256": "sha256",
        "replaces": "replaces",
    }
    _required = frozenset(("id", "title", "type", "size", "status", "created_at",))


class DocumentContent(Model):
    """A part of a document's text. Offsets count its code points."""

    id: str
    """
    Identifies a document. Opaque; letters, digits, `-` and `_`.

    1 to 128 characters.
    """
    text: str
    """
    The text between `start` and `end`.

    At most 100,000 characters.
    """
    start: int
    """
    A number of things.

    0 to 9,007,199,254,740,991.
    """
    end: int
    """
    A number of things.

    0 to 9,007,199,254,740,991.
    """
    length: int
    """
    A number of things.

    0 to 9,007,199,254,740,991.
    """

    _fields = {
        "id": "id",
        "text": "text",
        "start": "start",
        "end": "end",
        "length": "length",
    }
    _required = frozenset(("id", "text", "start", "end", "length",))


class RecognitionProgress(Model):
    """
    Only while the status is `processing`, and only of a file with scanned pages or pictures: how many of them text
    recognition (OCR) has read. The numbers are at most some seconds old, and `of` may still grow.
    """

    done: int
    """
    A number of things.

    0 to 9,007,199,254,740,991.
    """
    of: int
    """
    A number of things.

    0 to 9,007,199,254,740,991.
    """

    _fields = {
        "done": "done",
        "of": "of",
    }
    _required = frozenset(("done", "of",))


class VectorProgress(Model):
    """
    Only where the service compares meanings by a model, and only of a processed document: how many of its passages
    have a vector of this model. The others are found by their words alone.
    """

    made: int
    """
    A number of things.

    0 to 9,007,199,254,740,991.
    """
    of: int
    """
    A number of things.

    0 to 9,007,199,254,740,991.
    """

    _fields = {
        "made": "made",
        "of": "of",
    }
    _required = frozenset(("made", "of",))


class DocumentStatusReport(Model):
    """The status of a document's import, and its result."""

    id: str
    """
    Identifies a document. Opaque; letters, digits, `-` and `_`.

    1 to 128 characters.
    """
    status: DocumentStatus
    """
    `pending` (accepted), then `processing` (being read), then one of the three final ones, which never change by
    themselves. They are `processed` (searchable now), `failed` (see `error`) and `timeout` (not read in time).
    """
    updated_at: str | None
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """
    passage_count: int | None
    """
    How many passages there are; 0 until the document is processed.

    0 to 2,147,483,647.
    """
    page_count: int | None
    """
    How many pages, slides or sheets the file has; only in formats with pages, after it was read.

    0 to 2,147,483,647.
    """
    warnings: List[DocumentWarning] | None
    """
    What a search cannot find, or may find wrong, although the file was read; empty if there is nothing. A document
    that has failed has those that were found before.

    At most 32 items.
    """
    error: DocumentError | None
    """Why the document is not searchable; present only if the status is `failed` or `timeout`."""
    queue_position: int | None
    """
    Only while the status is `pending`: the file's position in the queue; 1 is the next. Accounts take turns, so a
    later file of another account may be read first. The number is at most a few seconds old.

    1 to 2,147,483,647.
    """
    recognition: RecognitionProgress | None
    """
    Only while the status is `processing`, and only of a file with scanned pages or pictures: how many of them text
    recognition (OCR) has read. The numbers are at most some seconds old, and `of` may still grow.
    """
    vectors: VectorProgress | None
    """
    Only where the service compares meanings by a model, and only of a processed document: how many of its passages
    have a vector of this model. The others are found by their words alone.
    """
    unchanged: Literal[True] | None
    """
    Only of an import by address that made nothing new, and then true. The report is that of the document `id`,
    which has the content already: go on with this id. The one that was asked for leads here for a week.
    """

    _fields = {
        "id": "id",
        "status": "status",
        "updated_at": "updatedAt",
        "passage_count": "passageCount",
        "page_count": "pageCount",
        "warnings": ("warnings", DocumentWarning),
        "error": ("error", DocumentError),
        "queue_position": "queuePosition",
        "recognition": ("recognition", RecognitionProgress),
        "vectors": ("vectors", VectorProgress),
        "unchanged": "unchanged",
    }
    _required = frozenset(("id", "status",))


class Recognised(Model):
    """
    Only where text recognition (OCR) has read the passage, or a part of it, from a scan or a picture: words in it
    may be wrong.
    """

    confidence: float
    """
    How sure the recognition is, as a mean over the recognised letters. Below .7 many words are wrong.

    0 to 1.
    """

    _fields = {
        "confidence": "confidence",
    }
    _required = frozenset(("confidence",))


class PassageLocation(Model):
    """The position of the passage in its document."""

    passage: int
    """
    The passage's number in its document, from 1.

    1 to 2,147,483,647.
    """
    page: int | None
    """
    The page, slide or sheet on which the passage starts, from 1; only in formats that have them. In a mail or an
    archive it is the page of the file inside that `headings` name.

    1 to 2,147,483,647.
    """
    last_page: int | None
    """
    The page on which the passage ends, if that is another one. `highlights` say on which page the words of a query
    stand.

    2 to 2,147,483,647.
    """
    headings: List[str]
    """
    The headings above the passage, the outermost first. If the passage begins inside a table, the table's header
    row comes last, if it is short.
    """
    start: int
    """
    Code points of the document's extracted text before the passage.

    0 to 2,147,483,647.
    """
    end: int
    """
    Code points of the document's extracted text up to the end of the passage.

    0 to 2,147,483,647.
    """
    time: float | None
    """
    The time at which the passage begins, in seconds from the start of the recording; only in subtitles. Those
    longer than 24 days have the last time that fits. `highlights` say when the words of a query are spoken.

    0 to 2,147,483.647.
    """
    recognised: Recognised | None
    """
    Only where text recognition (OCR) has read the passage, or a part of it, from a scan or a picture: words in it
    may be wrong.
    """

    _fields = {
        "passage": "passage",
        "page": "page",
        "last_page": "lastPage",
        "headings": "headings",
        "start": "start",
        "end": "end",
        "time": "time",
        "recognised": ("recognised", Recognised),
    }
    _required = frozenset(("passage", "headings", "start", "end",))


class Passage(Model):
    """A passage of a document, as searches find it."""

    id: str
    """
    Identifies a passage. Opaque; it stays the same as long as the document exists.

    1 to 256 characters.
    """
    content: str
    """The passage's text, unchanged from the document."""
    language: str
    """
    The language by whose rules a passage was analysed, as an English name in lower case; `simple` if none fits.

    1 to 64 characters.
    """
    location: PassageLocation
    """The position of the passage in its document."""

    _fields = {
        "id": "id",
        "content": "content",
        "language": "language",
        "location": ("location", PassageLocation),
    }
    _required = frozenset(("id", "content", "language", "location",))


class SearchResultMetadata(Model):
    """Where a passage comes from."""

    source: str
    """
    The title of imported text, or the file name of an upload.

    1 to 256 characters.
    """
    annotations: str
    """The `location` of the same result as JSON text."""

    _fields = {
        "source": "source",
        "annotations": "annotations",
    }
    _required = frozenset(("source", "annotations",))


class PassageContext(Model):
    """
    Only with `contextPassages`: the texts of the neighbouring passages, in the order of the document. They end
    before another result, and before the context of a better one.
    """

    before: List[str]
    """
    The passages before this one.

    At most 3 items.
    """
    after: List[str]
    """
    The passages after this one.

    At most 3 items.
    """

    _fields = {
        "before": "before",
        "after": "after",
    }
    _required = frozenset(("before", "after",))


class Highlight(Model):
    """A range of a result's `content`, in code points."""

    start: int
    """
    Code points before the range.

    0 to 2,147,483,647.
    """
    end: int
    """
    Code points up to the end of the range.

    1 to 2,147,483,647.
    """
    page: int | None
    """
    The page, slide or sheet on which the range begins, from 1; only in formats that have them.

    1 to 2,147,483,647.
    """
    time: float | None
    """
    The time at which the cue with the range begins, in seconds from the start of the recording; only in subtitles.

    0 to 2,147,483.647.
    """

    _fields = {
        "start": "start",
        "end": "end",
        "page": "page",
        "time": "time",
    }
    _required = frozenset(("start", "end",))


class Snippet(Model):
    """Only with `highlight`: the part of `content` with the most matches, up to 300 code points."""

    text: str
    """
    The text of the part, unchanged.

    At most 300 characters.
    """
    start: int
    """
    Code points of `content` before it. Subtract it from `highlights` to mark the snippet.

    0 to 2,147,483,647.
    """

    _fields = {
        "text": "text",
        "start": "start",
    }
    _required = frozenset(("text", "start",))


class ExplainedTerm(Model):
    """What a term of the query has added to the score."""

    term: str
    """
    The word, or the pair of characters of a script without spaces, as the query has it. Where no passage has the
    word, it stands for those near it.

    At most 8,192 characters.
    """
    weight: float
    """
    The most that the term can add to a score. Rare words have more.

    0 to 1.
    """
    occurrences: int
    """
    How often the passage has the term, with its title and headings. A title counts four times, and so does the
    heading above the whole document.

    1 to 2,147,483,647.
    """
    contribution: float
    """
    What the term has added to the score of this passage.

    0 to 1.
    """
    match: TermMatch
    """
    How the passage has a term of the query: in any form of the `word` itself; by a longer word that begins with it
    (`completion`, only with `prefix`); by a `guess`: a word near it, because no passage has the word; or by a
    `synonym` of `setSynonyms`. One of several words counts for each of them.
    """
    words: List[str]
    """
    How the content of the passage writes the term, the first ones: `hotels` for `hotel`, or what was taken for it.
    Empty where only the title or the headings have it.

    At most 10 items.
    """

    _fields = {
        "term": "term",
        "weight": "weight",
        "occurrences": "occurrences",
        "contribution": "contribution",
        "match": "match",
        "words": "words",
    }
    _required = frozenset(("term", "weight", "occurrences", "contribution", "match", "words",))


class ExplainedPhrase(Model):
    """A phrase that the query has in quotes, and that the passage has."""

    phrase: str
    """
    A phrase that the query has in quotes, as it writes it.

    1 to 8,192 characters.
    """
    occurrences: int
    """
    How often the content has it; 0 where only the title or the headings do.

    0 to 2,147,483,647.
    """

    _fields = {
        "phrase": "phrase",
        "occurrences": "occurrences",
    }
    _required = frozenset(("phrase", "occurrences",))


class WordPair(Model):
    """A word of the query, and the word of the passage that is nearest to it in meaning."""

    term: str
    """
    The word, as the query has it.

    At most 8,192 characters.
    """
    word: str
    """
    The word, as the passage has it.

    At most 200 characters.
    """
    similarity: float
    """
    How near the two words are; 1 is the same meaning.

    0 to 1.
    """

    _fields = {
        "term": "term",
        "word": "word",
        "similarity": "similarity",
    }
    _required = frozenset(("term", "word", "similarity",))


class ExplainedMeaning(Model):
    """
    What nearness in meaning has added to the score. Missing with `mode` `words`, and where the query or the passage
    has no vector.
    """

    contribution: float
    """
    What nearness in meaning has added to the score of this passage.

    0 to 1.
    """
    similarity: float
    """
    How near the passage is to the query, as a whole; 1 is the same meaning.

    0 to 1.
    """
    pairs: List[WordPair]
    """
    The pairs of different words that bring the passage near, the nearest first. Words that both have are among
    `terms`. None where a model of the service's operator compares whole texts.

    At most 3 items.
    """

    _fields = {
        "contribution": "contribution",
        "similarity": "similarity",
        "pairs": ("pairs", WordPair),
    }
    _required = frozenset(("contribution", "similarity", "pairs",))


class ExplainedRerank(Model):
    """
    What a model of the service's operator has changed, which reads the query and the best passages together and
    puts these in order. Missing where none has.
    """

    contribution: float
    """
    What the score has gained by the new place, or lost.

    -1 to 1.
    """
    relevance: float
    """
    How relevant the passage is, as the model says. Only numbers of one answer can be compared: models use different
    scales.
    """
    former_rank: int
    """
    The place of the passage before, from 1.

    1 to 1,000.
    """

    _fields = {
        "contribution": "contribution",
        "relevance": "relevance",
        "former_rank": "formerRank",
    }
    _required = frozenset(("contribution", "relevance", "former_rank",))


class Explanation(Model):
    """
    Only with `explain`: how the score came about. The contributions of the terms and of `meaning`, `neighbours`,
    `feedback`, `fullMatch` and `rerank` add up to `score`.
    """

    terms: List[ExplainedTerm]
    """
    The terms of the query that the passage contains, the largest contribution first. None where meaning alone has
    found it.

    At most 64 items.
    """
    neighbours: float
    """What the passages before and after this one have added, or taken."""
    feedback: float
    """
    What similarity to the best passages has added, or taken. It takes nothing from a passage with all words of the
    query, and lifts no other one above it.
    """
    missing: List[str]
    """
    The informative words of the query that the passage lacks.

    At most 512 items.
    """
    full_match: float
    """
    What the words of the query have added by standing side by side, as in the query: such passages come before all
    others.
    """
    phrases: List[ExplainedPhrase] | None
    """
    Only for a query with phrases in quotes that passages have: each of them.

    At most 8 items.
    """
    meaning: ExplainedMeaning | None
    """
    What nearness in meaning has added to the score. Missing with `mode` `words`, and where the query or the passage
    has no vector.
    """
    rerank: ExplainedRerank | None
    """
    What a model of the service's operator has changed, which reads the query and the best passages together and
    puts these in order. Missing where none has.
    """

    _fields = {
        "terms": ("terms", ExplainedTerm),
        "neighbours": "neighbours",
        "feedback": "feedback",
        "missing": "missing",
        "full_match": "fullMatch",
        "phrases": ("phrases", ExplainedPhrase),
        "meaning": ("meaning", ExplainedMeaning),
        "rerank": ("rerank", ExplainedRerank),
    }
    _required = frozenset(("terms", "neighbours", "feedback", "missing", "full_match",))


class SearchResult(Model):
    """A passage that matches the query, by its words or in meaning."""

    id: str
    """
    Identifies a passage. Opaque; it stays the same as long as the document exists.

    1 to 256 characters.
    """
    score: float
    """
    How well the passage matches; 1 is the highest score that this query could reach. Scores of one answer are
    comparable, also those of different knowledge bases, and do not depend on `limit`. Each `mode` has scores of its
    own. At most 6 decimals.

    0 to 1.
    """
    document_id: str
    """
    Identifies a document. Opaque; letters, digits, `-` and `_`.

    1 to 128 characters.
    """
    knowledge_base_id: str
    """
    Identifies a knowledge base. A UUID; any other text of this length is unknown, not invalid.

    36 characters.
    """
    title: str
    """
    The title of imported text, or the file name of an upload.

    1 to 256 characters.
    """
    type: DocumentType
    """
    The document's format, detected from its content and, where that does not decide, from its file name. `csv` is
    also a table with tabs, `json` also a notebook (ipynb) or JSON by lines (jsonl). `image` is a picture (png, jpg,
    tiff, webp, gif, bmp). `text` is imported text, `unknown` a file of an unknown format.
    """
    content: str
    """The passage's text, unchanged from the document."""
    metadata: SearchResultMetadata
    """Where a passage comes from."""
    location: PassageLocation | None
    """The position of the passage in its document."""
    attributes: Attributes | None
    """
    Facts about a document that the caller has chosen, up to 16. A name has up to 64 characters: letters, digits,
    `_`, `.` and `-`. A value is a text, a number, a boolean or a list of texts. All texts together have up to
    16,384 characters. Documents without attributes lack this field.

    At most 16 fields.
    """
    source_url: str | None
    """
    Where readers find the original, an `http` or `https` address without backslashes, control characters and marks
    of the direction of writing. Search results repeat it for citations. Only `importUrl` opens an address, which
    becomes the source of its document.

    1 to 2,048 characters.
    """
    external_id: str | None
    """
    The caller's own id of the document, such as a path or the key of a record, compared as it is. A document
    replaces the earlier ones with its `externalId` in the same knowledge base when it is `processed`, whether these
    are processed or not. One that fails replaces nothing. While both exist, both count as stored.

    1 to 256 characters.
    """
    context: PassageContext | None
    """
    Only with `contextPassages`: the texts of the neighbouring passages, in the order of the document. They end
    before another result, and before the context of a better one.
    """
    highlights: List[Highlight] | None
    """
    Only with `highlight`: the words of `content` that match the query, in their order. Stop words are marked only
    where nothing else matches.

    At most 100,000 items.
    """
    snippet: Snippet | None
    """Only with `highlight`: the part of `content` with the most matches, up to 300 code points."""
    explanation: Explanation | None
    """
    Only with `explain`: how the score came about. The contributions of the terms and of `meaning`, `neighbours`,
    `feedback`, `fullMatch` and `rerank` add up to `score`.
    """
    duplicates: int | None
    """
    Only with `distinct`: how many passages with the same text were found and left out for this one.

    0 to 9,007,199,254,740,991.
    """

    _fields = {
        "id": "id",
        "score": "score",
        "document_id": "document_id",
        "knowledge_base_id": "knowledge_base_id",
        "title": "title",
        "type": "type",
        "content": "content",
        "metadata": ("metadata", SearchResultMetadata),
        "location": ("location", PassageLocation),
        "attributes": "attributes",
        "source_url": "sourceUrl",
        "external_id": "externalId",
        "context": ("context", PassageContext),
        "highlights": ("highlights", Highlight),
        "snippet": ("snippet", Snippet),
        "explanation": ("explanation", Explanation),
        "duplicates": "duplicates",
    }
    _required = frozenset(("id", "score", "document_id", "knowledge_base_id", "title", "type", "content", "metadata",))


class Synonyms(Model):
    """The synonyms of the account or of a knowledge base."""

    groups: List[SynonymGroup]
    """
    Groups of synonyms. Their terms are at most 5,000 together, and have at most 100,000 characters.

    At most 1,000 items.
    """

    _fields = {
        "groups": ("groups", SynonymGroup),
    }
    _required = frozenset(("groups",))


class UploadTicket(Model):
    """Where and how to send one file, and the id for its import."""

    file_id: str
    """
    Identifies an uploaded file. Opaque; letters, digits, `-` and `_`.

    1 to 128 characters.
    """
    upload_url: str
    """
    The address for the bytes. Everybody who has it can upload this file.

    At most 8,192 characters.
    """
    expires_at: str
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """
    method: Literal["PUT"]
    """The HTTP method to send the bytes with."""
    headers: Mapping[str, str]
    """
    Headers that the upload must have, by name. Today there are none, so a bare PUT works.

    At most 16 fields.
    """

    _fields = {
        "file_id": "fileId",
        "upload_url": "uploadUrl",
        "expires_at": "expiresAt",
        "method": "method",
        "headers": "headers",
    }
    _required = frozenset(("file_id", "upload_url", "expires_at", "method", "headers",))


class DownloadTicket(Model):
    """Where to get one file, and what comes from there."""

    file_id: str
    """
    Identifies an uploaded file. Opaque; letters, digits, `-` and `_`.

    1 to 128 characters.
    """
    download_url: str
    """
    The address of the bytes. Everybody who has it can download this file.

    At most 8,192 characters.
    """
    expires_at: str
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """
    file_name: str
    """
    The file's name with its extension. It is shown and hints at the type; it is never a path.

    1 to 256 characters.
    """
    mime_type: str
    """
    The Content-Type of the answer. `application/octet-stream` where a browser might run the file: HTML, XML and
    unknown formats.

    At most 128 characters.
    """
    size: int
    """
    Bytes of the uploaded file, or of imported text in UTF-8.

    1 to 52,428,800.
    """
    sha256: str | None
    """
    The SHA-256 hash of the bytes, once they have been read.

    64 characters.
    """

    _fields = {
        "file_id": "fileId",
        "download_url": "downloadUrl",
        "expires_at": "expiresAt",
        "file_name": "fileName",
        "mime_type": "mimeType",
        "size": "size",
        "sha256": "sha256",
    }
    _required = frozenset(("file_id", "download_url", "expires_at", "file_name", "mime_type", "size",))


class DeletedKnowledgeBase(Model):
    """Which knowledge base was deleted."""

    id: str
    """
    Identifies a knowledge base. A UUID; any other text of this length is unknown, not invalid.

    36 characters.
    """

    _fields = {
        "id": "id",
    }
    _required = frozenset(("id",))


class DeletedDocument(Model):
    """Which document was deleted."""

    id: str
    """
    Identifies a document. Opaque; letters, digits, `-` and `_`.

    1 to 128 characters.
    """

    _fields = {
        "id": "id",
    }
    _required = frozenset(("id",))


class Limits(Model):
    """The limits of the account."""

    storage: int
    """
    A number of bytes.

    0 to 9,007,199,254,740,991.
    """
    knowledge_bases: int
    """
    A number of things.

    0 to 9,007,199,254,740,991.
    """
    requests_per_minute: int | None
    """
    Requests that each key may send within a minute; null without a limit.

    1 to 9,007,199,254,740,991.
    """

    _fields = {
        "storage": "storage",
        "knowledge_bases": "knowledgeBases",
        "requests_per_minute": "requestsPerMinute",
    }
    _required = frozenset(("storage", "knowledge_bases", "requests_per_minute",))


class Usage(Model):
    """
    What the account has stored, and how much it may store. `storageUsed` counts the bytes of all files and texts,
    and of the `attributes`, `sourceUrl` and `externalId` of their documents.
    """

    knowledge_base_count: int
    """
    A number of things.

    0 to 9,007,199,254,740,991.
    """
    storage_used: int
    """
    A number of bytes.

    0 to 9,007,199,254,740,991.
    """
    document_count: int | None
    """
    A number of things.

    0 to 9,007,199,254,740,991.
    """
    passage_count: int | None
    """
    A number of things.

    0 to 9,007,199,254,740,991.
    """
    limits: Limits | None
    """The limits of the account."""

    _fields = {
        "knowledge_base_count": "knowledgeBaseCount",
        "storage_used": "storageUsed",
        "document_count": "documentCount",
        "passage_count": "passageCount",
        "limits": ("limits", Limits),
    }
    _required = frozenset(("knowledge_base_count", "storage_used",))


class Balance(Model):
    """What the account has left."""

    balance: int
    """
    Credits that are left. A successful query costs `creditsPerQuery`.

    0 to 9,007,199,254,740,991.
    """
    credits_per_query: int | None
    """
    What a successful query costs; 0 if queries are free.

    0 to 9,007,199,254,740,991.
    """

    _fields = {
        "balance": "balance",
        "credits_per_query": "creditsPerQuery",
    }
    _required = frozenset(("balance",))


class CreatedKey(Model):
    """A new key, with its secret."""

    id: str
    """
    Names a key, and is no secret. Any other text of this length is unknown, not invalid.

    24 characters.
    """
    name: str
    """
    What the key is for, for people.

    1 to 200 characters.
    """
    scope: KeyScope
    """`search`: queries, lists and reads. `write`: imports, changes and deletions too."""
    knowledge_base_ids: List[str] | None
    """
    The knowledge bases to which the key is bound; all if the field is missing, also later ones. Repeated ids count
    once.

    1 to 100 items.
    """
    filter: Filter | None
    """
    A condition on documents: a comparison of one of their values, or several conditions joined by `and`, `or` or
    `not`. In all up to 64 conditions, 32 of them `contains`, 8 levels, 256 values in lists, and 16,384 characters
    in the texts.

    A list matches if one of its texts does. A document without the attribute, or with a value of another type, fits
    no condition but `ne` and `nin`, and those negated by `not`.
    """
    created_at: str
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """
    expires_at: str | None
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """
    status: KeyStatus
    """Whether the service still takes the key."""
    key: str
    """
    The key itself. Store it; no other answer has it.

    100 characters.
    """

    _fields = {
        "id": "id",
        "name": "name",
        "scope": "scope",
        "knowledge_base_ids": "knowledgeBaseIds",
        "filter": "filter",
        "created_at": "createdAt",
        "expires_at": "expiresAt",
        "status": "status",
        "key": "key",
    }
    _required = frozenset(("id", "name", "scope", "created_at", "status", "key",))


class Key(Model):
    """A key of the account, without its secret."""

    id: str
    """
    Names a key, and is no secret. Any other text of this length is unknown, not invalid.

    24 characters.
    """
    name: str
    """
    What the key is for, for people.

    1 to 200 characters.
    """
    scope: KeyScope
    """`search`: queries, lists and reads. `write`: imports, changes and deletions too."""
    knowledge_base_ids: List[str] | None
    """
    The knowledge bases to which the key is bound; all if the field is missing, also later ones. Repeated ids count
    once.

    1 to 100 items.
    """
    filter: Filter | None
    """
    A condition on documents: a comparison of one of their values, or several conditions joined by `and`, `or` or
    `not`. In all up to 64 conditions, 32 of them `contains`, 8 levels, 256 values in lists, and 16,384 characters
    in the texts.

    A list matches if one of its texts does. A document without the attribute, or with a value of another type, fits
    no condition but `ne` and `nin`, and those negated by `not`.
    """
    created_at: str
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """
    expires_at: str | None
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """
    revoked_at: str | None
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """
    last_used_on: str | None
    """
    The day of the last use, in UTC; absent before the first one.

    10 characters.
    """
    status: KeyStatus
    """Whether the service still takes the key."""

    _fields = {
        "id": "id",
        "name": "name",
        "scope": "scope",
        "knowledge_base_ids": "knowledgeBaseIds",
        "filter": "filter",
        "created_at": "createdAt",
        "expires_at": "expiresAt",
        "revoked_at": "revokedAt",
        "last_used_on": "lastUsedOn",
        "status": "status",
    }
    _required = frozenset(("id", "name", "scope", "created_at", "status",))


class RevokedKey(Model):
    """Which key was revoked."""

    id: str
    """
    Names a key, and is no secret. Any other text of this length is unknown, not invalid.

    24 characters.
    """

    _fields = {
        "id": "id",
    }
    _required = frozenset(("id",))


class CreatedToken(Model):
    """A token, and when it ends."""

    token: str
    """
    The token. Everybody who has it reads what it sees until it ends.

    70 to 6,200 characters.
    """
    expires_at: str
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """

    _fields = {
        "token": "token",
        "expires_at": "expiresAt",
    }
    _required = frozenset(("token", "expires_at",))


class CreatedWebhook(Model):
    """A new webhook with its secret."""

    id: str
    """
    Identifies a webhook. A UUID; any other text of this length is unknown, not invalid.

    36 characters.
    """
    url: str
    """
    Where the events are sent, an https address without user name, password and fragment, white space, backslashes,
    control characters and marks of the direction of writing.

    1 to 2,048 characters.
    """
    events: List[SubscribableEventType] | None
    """
    The events to send; all if the field is missing, also types that later versions add. Repeated types count once.

    1 to 20 items.
    """
    knowledge_base_ids: List[str] | None
    """
    The knowledge bases whose events are sent; all if the field is missing, also later ones. Repeated ids count
    once.

    1 to 100 items.
    """
    created_at: str
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """
    status: WebhookStatus
    """`enabled`, or `disabled`: no events are recorded or sent, until testWebhook succeeds."""
    secret: str
    """
    The key of the signatures, `whsec_` and 32 bytes in base64. Store it; no other answer has it.

    30 to 94 characters.
    """

    _fields = {
        "id": "id",
        "url": "url",
        "events": "events",
        "knowledge_base_ids": "knowledgeBaseIds",
        "created_at": "createdAt",
        "status": "status",
        "secret": "secret",
    }
    _required = frozenset(("id", "url", "created_at", "status", "secret",))


class WebhookDelivery(Model):
    """One attempt to deliver an event."""

    event_id: str
    """
    The `webhook-id` header of the event, a UUID. It is the same at each attempt.

    36 characters.
    """
    event_type: WebhookEventType
    """The type of an event that was sent; `webhook.test` comes from testWebhook."""
    attempt: int
    """
    The number of the attempt, from 1.

    1 to 2,147,483,647.
    """
    sent_at: str
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """
    duration_ms: int
    """
    Milliseconds until the answer or the failure.

    0 to 2,147,483,647.
    """
    status: int | None
    """
    The HTTP status of the receiver's answer; absent if there was none.

    100 to 999.
    """
    error: str | None
    """Why the event does not count as received, as a sentence for people; absent if it does."""

    _fields = {
        "event_id": "eventId",
        "event_type": "eventType",
        "attempt": "attempt",
        "sent_at": "sentAt",
        "duration_ms": "durationMs",
        "status": "status",
        "error": "error",
    }
    _required = frozenset(("event_id", "event_type", "attempt", "sent_at", "duration_ms",))


class Webhook(Model):
    """A receiver of events, and how it fares."""

    id: str
    """
    Identifies a webhook. A UUID; any other text of this length is unknown, not invalid.

    36 characters.
    """
    url: str
    """
    Where the events are sent, an https address without user name, password and fragment, white space, backslashes,
    control characters and marks of the direction of writing.

    1 to 2,048 characters.
    """
    events: List[SubscribableEventType] | None
    """
    The events to send; all if the field is missing, also types that later versions add. Repeated types count once.

    1 to 20 items.
    """
    knowledge_base_ids: List[str] | None
    """
    The knowledge bases whose events are sent; all if the field is missing, also later ones. Repeated ids count
    once.

    1 to 100 items.
    """
    created_at: str
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """
    status: WebhookStatus
    """`enabled`, or `disabled`: no events are recorded or sent, until testWebhook succeeds."""
    failing_since: str | None
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """
    disabled_at: str | None
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """
    disabled_reason: str | None
    """Why the webhook is disabled, as a sentence for people; present only if it is."""
    deliveries: List[WebhookDelivery]
    """
    The last attempts to deliver an event, the newest first.

    At most 20 items.
    """

    _fields = {
        "id": "id",
        "url": "url",
        "events": "events",
        "knowledge_base_ids": "knowledgeBaseIds",
        "created_at": "createdAt",
        "status": "status",
        "failing_since": "failingSince",
        "disabled_at": "disabledAt",
        "disabled_reason": "disabledReason",
        "deliveries": ("deliveries", WebhookDelivery),
    }
    _required = frozenset(("id", "url", "created_at", "status", "deliveries",))


class WebhookTest(Model):
    """The result of a test."""

    id: str
    """
    Identifies a webhook. A UUID; any other text of this length is unknown, not invalid.

    36 characters.
    """
    delivered: bool
    """Whether the receiver has accepted the event."""
    delivery: WebhookDelivery
    """One attempt to deliver an event."""
    answer: str | None
    """
    The beginning of the receiver's answer; absent if there was none.

    At most 1,000 characters.
    """

    _fields = {
        "id": "id",
        "delivered": "delivered",
        "delivery": ("delivery", WebhookDelivery),
        "answer": "answer",
    }
    _required = frozenset(("id", "delivered", "delivery",))


class DeletedWebhook(Model):
    """Which webhook was deleted."""

    id: str
    """
    Identifies a webhook. A UUID; any other text of this length is unknown, not invalid.

    36 characters.
    """

    _fields = {
        "id": "id",
    }
    _required = frozenset(("id",))


class DocumentEvent(Model):
    """A document was processed, has failed, or was deleted."""

    type: Literal["document.processed", "document.failed", "document.deleted"]
    """What has happened."""
    timestamp: str
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """
    data: Document
    """An imported file or text, with the status of its import."""

    _fields = {
        "type": "type",
        "timestamp": "timestamp",
        "data": ("data", Document),
    }
    _required = frozenset(("type", "timestamp", "data",))


class KnowledgeBaseEvent(Model):
    """A knowledge base was deleted with all its documents."""

    type: Literal["knowledgeBase.deleted"]
    """What has happened."""
    timestamp: str
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """
    data: DeletedKnowledgeBase
    """Which knowledge base was deleted."""

    _fields = {
        "type": "type",
        "timestamp": "timestamp",
        "data": ("data", DeletedKnowledgeBase),
    }
    _required = frozenset(("type", "timestamp", "data",))


class TestEvent(Model):
    """The operation testWebhook was called for this webhook."""

    type: Literal["webhook.test"]
    """What has happened."""
    timestamp: str
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """
    data: Mapping[str, Any]
    """The webhook."""

    _fields = {
        "type": "type",
        "timestamp": "timestamp",
        "data": "data",
    }
    _required = frozenset(("type", "timestamp", "data",))


class Pagination(Model):
    """Whether the list has a next page, and how to request it."""

    next_cursor: str | None
    """
    The `cursor` of the next page; null on the last one.

    1 to 512 characters.
    """
    has_more: bool
    """Whether there is a next page."""

    _fields = {
        "next_cursor": "nextCursor",
        "has_more": "hasMore",
    }
    _required = frozenset(("next_cursor", "has_more",))


class QueryWarning(Model):
    """A part of a search that did not run, or why it found nothing."""

    code: QueryWarningCode
    """
    What did not run, and why. `MEANING_TIMEOUT`: the model of the service did not answer in time, so the words of
    the query alone did. `MEANING_UNAVAILABLE`: it cannot be reached, or refused. `RERANK_TIMEOUT` and
    `RERANK_UNAVAILABLE`: the same of the model that orders the best passages; they are in the order without it.

    `MEANING_OFF`: the query asks for its meaning alone, but there is none to compare, so its words answered.

    The others come only where nothing was found. `LANGUAGE_DIFFERS`: the query was searched by its words, and is in
    another language than all passages. `FILTER_ATTRIBUTE_UNKNOWN`: no searched document has the attribute of a
    condition. `FILTER_TYPE_DIFFERS`: all that have it have values of another type, such as the number 2026 where
    the filter has the text "2026".
    """
    message: str
    """
    A sentence for people that says what did not run, and what answered instead; or why nothing was found.

    1 to 1,000 characters.
    """

    _fields = {
        "code": "code",
        "message": "message",
    }
    _required = frozenset(("code", "message",))


class KeptQuery(Model):
    """A query that was answered. `request` is what it asked for, with all defaults: sent again, it is the same search."""

    id: str
    """
    Names the query in the list.

    At most 36 characters.
    """
    sent_at: str
    """
    A time in UTC, with milliseconds.

    At most 24 characters.
    """
    request: Mapping[str, Any]
    """
    A request of `query`, with the fields that such requests had when it was sent: other versions of the service may
    have more, or allow other values.
    """
    result_count: int
    """
    How many results it had; 0, it found nothing.

    0 to 50.
    """
    duration_ms: int
    """
    How long the search took, in milliseconds, without the waits before and after it.

    0 to 2,147,483,647.
    """

    _fields = {
        "id": "id",
        "sent_at": "sentAt",
        "request": "request",
        "result_count": "resultCount",
        "duration_ms": "durationMs",
    }
    _required = frozenset(("id", "sent_at", "request", "result_count", "duration_ms",))


class QueryHistory(Model):
    """Whether queries are kept."""

    kept_since: str | None
    """
    Since when queries are kept; null, they are not.

    At most 24 characters.
    """

    _fields = {
        "kept_since": "keptSince",
    }
    _required = frozenset(("kept_since",))


class KeptQueries(Model):
    """The last queries of the account."""

    kept_since: str | None
    """
    Since when queries are kept; null, they are not.

    At most 24 characters.
    """
    queries: List[KeptQuery]
    """
    The queries, the latest first.

    At most 1,000 items.
    """

    _fields = {
        "kept_since": "keptSince",
        "queries": ("queries", KeptQuery),
    }
    _required = frozenset(("kept_since", "queries",))


class AttributeValueCount(Model):
    """A value, and how many documents have it."""

    value: Union[str, float, bool]
    """A text, a number or a boolean; of a list, one of its texts."""
    document_count: int
    """
    A number of things.

    0 to 9,007,199,254,740,991.
    """

    _fields = {
        "value": "value",
        "document_count": "documentCount",
    }
    _required = frozenset(("value", "document_count",))


class AttributeTypeSummary(Model):
    """The values of one type of an attribute."""

    type: AttributeType
    """The type of a value; a `list` is one of texts."""
    document_count: int
    """
    A number of things.

    0 to 9,007,199,254,740,991.
    """
    value_count: int
    """
    How many different values there are.

    0 to 9,007,199,254,740,991.
    """
    values: List[AttributeValueCount]
    """
    The most frequent values, the most frequent first.

    At most 10 items.
    """
    minimum: float | None
    """Only of numbers; the lowest."""
    maximum: float | None
    """Only of numbers; the highest."""

    _fields = {
        "type": "type",
        "document_count": "documentCount",
        "value_count": "valueCount",
        "values": ("values", AttributeValueCount),
        "minimum": "minimum",
        "maximum": "maximum",
    }
    _required = frozenset(("type", "document_count", "value_count", "values",))


class AttributeSummary(Model):
    """An attribute of documents."""

    name: str
    """
    The name of the attribute, as a filter has it.

    1 to 64 characters.
    """
    document_count: int
    """
    A number of things.

    0 to 9,007,199,254,740,991.
    """
    types: List[AttributeTypeSummary]
    """
    The types of its values, the most frequent first; mostly one.

    1 to 4 items.
    """

    _fields = {
        "name": "name",
        "document_count": "documentCount",
        "types": ("types", AttributeTypeSummary),
    }
    _required = frozenset(("name", "document_count", "types",))


class AttributesSummary(Model):
    """The attributes of the documents of a knowledge base."""

    attributes: List[AttributeSummary]
    """
    The attributes, the most frequent first.

    At most 100 items.
    """
    counted_documents: int
    """
    How many documents were counted, with or without attributes.

    0 to 10,000.
    """
    is_complete: bool
    """Whether all documents were counted, and all attributes are in the answer."""

    _fields = {
        "attributes": ("attributes", AttributeSummary),
        "counted_documents": "countedDocuments",
        "is_complete": "isComplete",
    }
    _required = frozenset(("attributes", "counted_documents", "is_complete",))


class ImportFileOptions(TypedDict, total=False):
    """Facts about the document."""

    attributes: Union[Attributes, None]
    """
    Facts about a document that the caller has chosen, up to 16. A name has up to 64 characters: letters, digits,
    `_`, `.` and `-`. A value is a text, a number, a boolean or a list of texts. All texts together have up to
    16,384 characters. Documents without attributes lack this field.

    At most 16 fields.
    """
    source_url: Union[str, None]
    """
    Where readers find the original, an `http` or `https` address without backslashes, control characters and marks
    of the direction of writing. Search results repeat it for citations. Only `importUrl` opens an address, which
    becomes the source of its document.

    1 to 2,048 characters.
    """
    external_id: Union[str, None]
    """
    The caller's own id of the document, such as a path or the key of a record, compared as it is. A document
    replaces the earlier ones with its `externalId` in the same knowledge base when it is `processed`, whether these
    are processed or not. One that fails replaces nothing. While both exist, both count as stored.

    1 to 256 characters.
    """
    if_unchanged: Union[IfUnchanged, None]
    """
    With `skip`, an import of content that the knowledge base has already makes nothing new. The existing document
    is the answer, with `unchanged: true`. Content is the same if its SHA-256 is.

    With an `externalId`, only the last document with this id is compared, and its title must be the same too, or
    the file name of a file. Its `attributes` and `sourceUrl` become those of the request, where these are given.
    Without an `externalId`, any document of the knowledge base counts, and stays as it is. Failed documents never
    count.
    """


class ImportTextContentOptions(TypedDict, total=False):
    """Facts about the document."""

    attributes: Union[Attributes, None]
    """
    Facts about a document that the caller has chosen, up to 16. A name has up to 64 characters: letters, digits,
    `_`, `.` and `-`. A value is a text, a number, a boolean or a list of texts. All texts together have up to
    16,384 characters. Documents without attributes lack this field.

    At most 16 fields.
    """
    source_url: Union[str, None]
    """
    Where readers find the original, an `http` or `https` address without backslashes, control characters and marks
    of the direction of writing. Search results repeat it for citations. Only `importUrl` opens an address, which
    becomes the source of its document.

    1 to 2,048 characters.
    """
    external_id: Union[str, None]
    """
    The caller's own id of the document, such as a path or the key of a record, compared as it is. A document
    replaces the earlier ones with its `externalId` in the same knowledge base when it is `processed`, whether these
    are processed or not. One that fails replaces nothing. While both exist, both count as stored.

    1 to 256 characters.
    """
    if_unchanged: Union[IfUnchanged, None]
    """
    With `skip`, an import of content that the knowledge base has already makes nothing new. The existing document
    is the answer, with `unchanged: true`. Content is the same if its SHA-256 is.

    With an `externalId`, only the last document with this id is compared, and its title must be the same too, or
    the file name of a file. Its `attributes` and `sourceUrl` become those of the request, where these are given.
    Without an `externalId`, any document of the knowledge base counts, and stays as it is. Failed documents never
    count.
    """


FILTER_BY_TYPE: Mapping[str, Any] = {
    "eq": FilterByValue,
    "ne": FilterByValue,
    "gt": FilterByOrder,
    "gte": FilterByOrder,
    "lt": FilterByOrder,
    "lte": FilterByOrder,
    "in": FilterByList,
    "nin": FilterByList,
    "contains": FilterByPart,
    "exists": FilterByPresence,
    "and": FilterGroup,
    "or": FilterGroup,
    "not": FilterGroup,
}


WEBHOOK_EVENT_BY_TYPE: Mapping[str, Any] = {
    "document.processed": DocumentEvent,
    "document.failed": DocumentEvent,
    "document.deleted": DocumentEvent,
    "knowledgeBase.deleted": KnowledgeBaseEvent,
    "webhook.test": TestEvent,
}
