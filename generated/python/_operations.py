"""The operations of the service. Generated from its spec: do not edit."""

from __future__ import annotations

from typing import Any, List, Mapping, Sequence, Union

from ._core.calls import Operation
from ._core.pages import AsyncPages, Pages, SearchResults
from .types import (
    Attributes,
    AttributesSummary,
    Balance,
    CreatedKey,
    CreatedToken,
    CreatedWebhook,
    DeletedDocument,
    DeletedKnowledgeBase,
    DeletedWebhook,
    Document,
    DocumentContent,
    DocumentDetails,
    DocumentStatus,
    DocumentStatusReport,
    DownloadTicket,
    FilterOrText,
    IfUnchanged,
    KeptQueries,
    Key,
    KeyScope,
    KnowledgeBase,
    Passage,
    QueryHistory,
    RevokedKey,
    SearchMode,
    SearchResult,
    SearchResultField,
    SubscribableEventType,
    SynonymGroup,
    SynonymGroupInput,
    Synonyms,
    UploadTicket,
    Usage,
    Webhook,
    WebhookTest,
)

OPERATIONS = {
    "query": Operation("query", "POST", SearchResult),
    "importFile": Operation("importFile", "POST", Document),
    "presignUploadUrl": Operation("presignUploadUrl", "POST", UploadTicket, True),
    "deleteKnowledgeBase": Operation("deleteKnowledgeBase", "POST", DeletedKnowledgeBase),
    "deleteDocument": Operation("deleteDocument", "POST", DeletedDocument),
    "importTextContent": Operation("importTextContent", "POST", Document, True),
    "createKnowledgeBase": Operation("createKnowledgeBase", "POST", KnowledgeBase, True),
    "listDocuments": Operation("listDocuments", "GET", Document),
    "listKnowledgeBases": Operation("listKnowledgeBases", "GET", KnowledgeBase),
    "getDocumentStatus": Operation("getDocumentStatus", "GET", DocumentStatusReport),
    "getUsage": Operation("getUsage", "GET", Usage),
    "getBalance": Operation("getBalance", "GET", Balance),
    "getDocument": Operation("getDocument", "GET", DocumentDetails),
    "listPassages": Operation("listPassages", "GET", Passage),
    "getKnowledgeBase": Operation("getKnowledgeBase", "GET", KnowledgeBase),
    "updateKnowledgeBase": Operation("updateKnowledgeBase", "POST", KnowledgeBase),
    "getDocumentContent": Operation("getDocumentContent", "GET", DocumentContent),
    "updateDocument": Operation("updateDocument", "POST", Document),
    "retryDocument": Operation("retryDocument", "POST", Document),
    "createWebhook": Operation("createWebhook", "POST", CreatedWebhook, True),
    "listWebhooks": Operation("listWebhooks", "GET", Webhook),
    "deleteWebhook": Operation("deleteWebhook", "POST", DeletedWebhook),
    "testWebhook": Operation("testWebhook", "POST", WebhookTest),
    "presignDownloadUrl": Operation("presignDownloadUrl", "GET", DownloadTicket),
    "getSynonyms": Operation("getSynonyms", "GET", Synonyms),
    "setSynonyms": Operation("setSynonyms", "POST", Synonyms),
    "importUrl": Operation("importUrl", "POST", Document, True),
    "listAttributes": Operation("listAttributes", "GET", AttributesSummary),
    "listQueries": Operation("listQueries", "GET", KeptQueries),
    "setQueryHistory": Operation("setQueryHistory", "POST", QueryHistory),
    "createToken": Operation("createToken", "POST", CreatedToken),
    "createKey": Operation("createKey", "POST", CreatedKey),
    "listKeys": Operation("listKeys", "GET", Key),
    "revokeKey": Operation("revokeKey", "POST", RevokedKey),
}


class Operations:
    """The operations, each with its arguments by name."""

    def _call(self, operation: Operation, fields: Mapping[str, Any], limits: tuple[Any, ...], key: str | None = None) -> Any:
        raise NotImplementedError

    def _search(self, operation: Operation, fields: Mapping[str, Any], limits: tuple[Any, ...]) -> SearchResults:
        raise NotImplementedError

    def _list(self, operation: Operation, fields: Mapping[str, Any], limits: tuple[Any, ...]) -> Pages[Any]:
        raise NotImplementedError

    def query(
        self,
        query: str,
        *,
        knowledge_base_ids: Sequence[str] | None = None,
        limit: int | None = None,
        prefix: bool | None = None,
        mode: SearchMode | None = None,
        rerank: bool | None = None,
        document_ids: Sequence[str] | None = None,
        filter: FilterOrText | None = None,
        max_per_document: int | None = None,
        distinct: bool | None = None,
        min_score: float | None = None,
        context_passages: int | None = None,
        highlight: bool | None = None,
        explain: bool | None = None,
        fields: Sequence[SearchResultField] | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> SearchResults:
        """
        Search passages.

        Returns the passages that answer the query best, in this order: by score, then the newer document, then the
        position in the document, then the id. Only passages that have at least one term of the query, or are near
        it in meaning, are returned, possibly none: `mode` chooses. For a word that none of them has, those near it
        count, with less weight: misspelt or transcribed ones, compounds and parts of compounds. Identifiers are
        never guessed. Words in quotes ask for a phrase: see `query`. A successful query costs one credit, even if
        it finds nothing. A refused one costs nothing. A client that hangs up pays for an answer that was made all
        the same.

        query: A question, or words to search for. Words in quotes (`"blood pressure"`, also “ ”, „ “, « », 「 」, 『
        』) are a phrase: all results have it, in its order and without other words between, in the content, the
        title or the headings. Its words may have other endings and punctuation, and a line break between them, but
        none is guessed. A single word in quotes has to occur. Words beside phrases count as always. Of a phrase
        that no passage has, the words are searched: `phrasesAsWords` of the answer names it. A quote that is not
        closed is none. Up to 8 phrases of 128 words together count. 1 to 8,192 characters.

        knowledge_base_ids: The knowledge bases to search: all if the field is missing, none if the list is empty.
        Repeated ids count once. At most 100 items.

        limit: The maximum number of results. 1 to 50. Default: 10.

        prefix: Whether the last word of `query` may be the beginning of one, for a search while its user types. The
        words that begin with it count too, and in full where no passage has it as a word. Default: false.

        mode: What finds passages and orders them: the `words` of the query alone, nearness in `meaning` alone, or
        `both`. By meaning, `accommodation` finds a passage about a hotel, also in another language, where the
        service has word vectors for the languages or its operator a model. Passages without any word of the query
        are found where the searched knowledge bases have at most 20,000 passages together. In larger ones, meaning
        orders passages that have words of the query, unless the operator's database has an index of vectors, which
        finds the nearest of all. What is not near enough is not found. A phrase in quotes is by words in every
        mode, and an identifier has no meaning. A synonym of `setSynonyms` counts as a word, and wins over meaning.
        Default: both.

        rerank: Whether a model puts the best passages in order, where the operator of the service has set one
        (`RERANK_URL`). `false` leaves them in the order without it, to compare the two. Scores stay in their
        places: the first passage has the best score, whichever it is. Default: true.

        document_ids: The documents to search: all if the field is missing, none if the list is empty. Repeated ids
        count once. With `knowledgeBaseIds`, only those of the documents that are in these knowledge bases. At most
        100 items.

        filter: A condition on documents, in JSON or as text.

        max_per_document: How many passages of one document may be among the results: its best ones. Passages of
        other documents take the places of the rest. 1 to 50.

        distinct: Whether passages with the same text come once: the one that fits best, with the number of the
        others in `duplicates`. Other passages take their places. Default: false.

        min_score: The lowest score of a result. All results below it are left out. Measured on open collections:
        0.15 keeps the best result of 95 % of the questions that a knowledge base answers. It leaves nothing for 86
        % of the questions about something else, and for 53 % of those about the same subjects without an answer. 0
        to 1.

        context_passages: How many passages before and after each result to add as `context`. Where results are near
        each other, no text comes twice. 0 to 3. Default: 0.

        highlight: Whether to add `highlights` and a `snippet` to each result. Default: false.

        explain: Whether to add an `explanation` of the score to each result. Default: false.

        fields: The only fields of each result to return, so that readers who pay by the token get no more than they
        need. All if the field is missing. Repeated names count once. 1 to 32 items.
        """
        return self._search(OPERATIONS["query"], {
            "query": query,
            "knowledgeBaseIds": knowledge_base_ids,
            "limit": limit,
            "prefix": prefix,
            "mode": mode,
            "rerank": rerank,
            "documentIds": document_ids,
            "filter": filter,
            "maxPerDocument": max_per_document,
            "distinct": distinct,
            "minScore": min_score,
            "contextPassages": context_passages,
            "highlight": highlight,
            "explain": explain,
            "fields": fields,
        }, (timeout, deadline, retries))

    def import_file(
        self,
        file_id: str,
        *,
        attributes: Attributes | None = None,
        source_url: str | None = None,
        external_id: str | None = None,
        if_unchanged: IfUnchanged | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> Document:
        """
        Import an uploaded file.

        The last of three steps: makes a document of a file whose bytes have arrived at its upload address. The
        document starts as `pending`; the file is read and indexed in the background. Importing a `fileId` again
        returns the same document.

        With an `externalId` the document replaces the earlier ones with this id as soon as it is `processed`. Until
        then the earlier one is found, and it stays if the new one fails. With `ifUnchanged: skip` a file whose
        content the service has already makes no new document.

        file_id: Identifies an uploaded file. Opaque; letters, digits, `-` and `_`. 1 to 128 characters.

        attributes: Facts about a document that the caller has chosen, up to 16. A name has up to 64 characters:
        letters, digits, `_`, `.` and `-`. A value is a text, a number, a boolean or a list of texts. All texts
        together have up to 16,384 characters. Documents without attributes lack this field. At most 16 fields.

        source_url: Where readers find the original, an `http` or `https` address without backslashes, control
        characters and marks of the direction of writing. Search results repeat it for citations. Only `importUrl`
        opens an address, which becomes the source of its document. 1 to 2,048 characters.

        external_id: The caller's own id of the document, such as a path or the key of a record, compared as it is.
        A document replaces the earlier ones with its `externalId` in the same knowledge base when it is
        `processed`, whether these are processed or not. One that fails replaces nothing. While both exist, both
        count as stored. 1 to 256 characters.

        if_unchanged: With `skip`, an import of content that the knowledge base has already makes nothing new. The
        existing document is the answer, with `unchanged: true`. Content is the same if its SHA-256 is. With an
        `externalId`, only the last document with this id is compared, and its title must be the same too, or the
        file name of a file. Its `attributes` and `sourceUrl` become those of the request, where these are given.
        Without an `externalId`, any document of the knowledge base counts, and stays as it is. Failed documents
        never count.
        """
        answer: Document = self._call(OPERATIONS["importFile"], {
            "fileId": file_id,
            "attributes": attributes,
            "sourceUrl": source_url,
            "externalId": external_id,
            "ifUnchanged": if_unchanged,
        }, (timeout, deadline, retries))
        return answer

    def presign_upload_url(
        self,
        *,
        knowledge_base_id: str,
        file_name: str,
        size: int,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> UploadTicket:
        """
        Ask for an upload address.

        The first of three steps. Returns an address to which one file of exactly the declared size can be sent.

        The second step: `PUT` the raw bytes there (`curl -T manual.pdf "$uploadUrl"`), with or without a
        Content-Type, and without the API key. Everybody who has the address can upload this file, so keep it
        secret. The third step: `importFile`.

        The bytes may be sent again until the file is imported; the last complete body counts. The declared size
        counts against the storage limit from now on, until the ticket expires without an upload.

        knowledge_base_id: Identifies a knowledge base. A UUID; any other text of this length is unknown, not
        invalid. 36 characters.

        file_name: The file's name with its extension. It is shown and hints at the type; it is never a path. 1 to
        256 characters.

        size: Bytes of the uploaded file, or of imported text in UTF-8. 1 to 52,428,800.
        """
        answer: UploadTicket = self._call(OPERATIONS["presignUploadUrl"], {
            "knowledgeBaseId": knowledge_base_id,
            "fileName": file_name,
            "size": size,
        }, (timeout, deadline, retries), idempotency_key)
        return answer

    def delete_knowledge_base(
        self,
        knowledge_base_id: str,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> DeletedKnowledgeBase:
        """
        Delete a knowledge base.

        Deletes a knowledge base with everything in it: documents, files, upload tickets and running imports. Once
        the answer has arrived, nothing of it is listed, searched or counted. Deleting it again is a 404.

        knowledge_base_id: Identifies a knowledge base. A UUID; any other text of this length is unknown, not
        invalid. 36 characters.
        """
        answer: DeletedKnowledgeBase = self._call(OPERATIONS["deleteKnowledgeBase"], {
            "knowledgeBaseId": knowledge_base_id,
        }, (timeout, deadline, retries))
        return answer

    def delete_document(
        self,
        document_id: str,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> DeletedDocument:
        """
        Delete a document.

        Deletes a document in any status; a running import is cancelled. Once the answer has arrived, the document
        is not listed, searched or counted. Deleting it again is a 404.

        document_id: Identifies a document. Opaque; letters, digits, `-` and `_`. 1 to 128 characters.
        """
        answer: DeletedDocument = self._call(OPERATIONS["deleteDocument"], {
            "documentId": document_id,
        }, (timeout, deadline, retries))
        return answer

    def import_text_content(
        self,
        *,
        knowledge_base_id: str,
        title: str,
        content: str,
        attributes: Attributes | None = None,
        source_url: str | None = None,
        external_id: str | None = None,
        if_unchanged: IfUnchanged | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> Document:
        """
        Import text.

        Makes a document of type `text` and indexes it before it answers. The document is then `processed`, and the
        next query finds it. A text without readable characters, such as control characters only, is `failed`. Every
        call makes a new document, also with the same title and content, unless it has the `Idempotency-Key` of an
        earlier call, or says `ifUnchanged: skip`.

        With an `externalId` the document replaces the earlier ones with this id: every query finds either the old
        one or the new one, never both or none.

        knowledge_base_id: Identifies a knowledge base. A UUID; any other text of this length is unknown, not
        invalid. 36 characters.

        title: The title of imported text, or the file name of an upload. 1 to 256 characters.

        content: The text, with at least one character that is not white space. 1 to 1,000,000 characters.

        attributes: Facts about a document that the caller has chosen, up to 16. A name has up to 64 characters:
        letters, digits, `_`, `.` and `-`. A value is a text, a number, a boolean or a list of texts. All texts
        together have up to 16,384 characters. Documents without attributes lack this field. At most 16 fields.

        source_url: Where readers find the original, an `http` or `https` address without backslashes, control
        characters and marks of the direction of writing. Search results repeat it for citations. Only `importUrl`
        opens an address, which becomes the source of its document. 1 to 2,048 characters.

        external_id: The caller's own id of the document, such as a path or the key of a record, compared as it is.
        A document replaces the earlier ones with its `externalId` in the same knowledge base when it is
        `processed`, whether these are processed or not. One that fails replaces nothing. While both exist, both
        count as stored. 1 to 256 characters.

        if_unchanged: With `skip`, an import of content that the knowledge base has already makes nothing new. The
        existing document is the answer, with `unchanged: true`. Content is the same if its SHA-256 is. With an
        `externalId`, only the last document with this id is compared, and its title must be the same too, or the
        file name of a file. Its `attributes` and `sourceUrl` become those of the request, where these are given.
        Without an `externalId`, any document of the knowledge base counts, and stays as it is. Failed documents
        never count.
        """
        answer: Document = self._call(OPERATIONS["importTextContent"], {
            "knowledgeBaseId": knowledge_base_id,
            "title": title,
            "content": content,
            "attributes": attributes,
            "sourceUrl": source_url,
            "externalId": external_id,
            "ifUnchanged": if_unchanged,
        }, (timeout, deadline, retries), idempotency_key)
        return answer

    def create_knowledge_base(
        self,
        name: str,
        *,
        description: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> KnowledgeBase:
        """
        Create a knowledge base.

        Makes an empty knowledge base. Two may have the same name; their ids differ.

        name: A name for people. It need not be unique. 1 to 100 characters.

        description: What the knowledge base is for. Empty when none was given. At most 1,000 characters.
        """
        answer: KnowledgeBase = self._call(OPERATIONS["createKnowledgeBase"], {
            "name": name,
            "description": description,
        }, (timeout, deadline, retries), idempotency_key)
        return answer

    def list_documents(
        self,
        knowledge_base_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        status: DocumentStatus | None = None,
        title_contains: str | None = None,
        external_id: str | None = None,
        filter: FilterOrText | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> Pages[Document]:
        """
        List the documents of a knowledge base.

        Returns the documents in every status, the newest first: up to 1000 without `limit` and `cursor`. While
        `pagination.hasMore` is true, request the next page with `pagination.nextCursor` as `cursor`. If documents
        are added or deleted meanwhile, no other document is skipped or repeated. A page ends earlier, with
        `hasMore`, after the document with which the attributes of the page have 4 MiB.

        knowledge_base_id: The knowledge base whose documents are listed. 36 characters.

        limit: The maximum number of items in the page. 1 to 1,000. Default: 1,000.

        cursor: Where the page starts, as the unchanged `pagination.nextCursor` of the page before. 1 to 512
        characters.

        status: Lists only the documents in this status.

        title_contains: Lists only the documents whose title contains this text. Upper and lower case are the same.
        1 to 256 characters.

        external_id: Lists only the documents with this id of the caller: the version that is found, one that is
        still to be processed, and those that have failed since. 1 to 256 characters.

        filter: Lists only the documents that fit this condition: the `filter` of `query` as JSON or as text,
        escaped as any parameter. A text needs no quotes around it. The address and the headers of a request may
        have 16 KiB together.
        """
        return self._list(OPERATIONS["listDocuments"], {
            "knowledgeBaseId": knowledge_base_id,
            "limit": limit,
            "cursor": cursor,
            "status": status,
            "titleContains": title_contains,
            "externalId": external_id,
            "filter": filter,
        }, (timeout, deadline, retries))

    def list_knowledge_bases(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> Pages[KnowledgeBase]:
        """
        List the knowledge bases.

        Returns the account's knowledge bases, the newest first: up to 1000 without `limit` and `cursor`. While
        `pagination.hasMore` is true, request the next page with `pagination.nextCursor` as `cursor`.

        limit: The maximum number of items in the page. 1 to 1,000. Default: 1,000.

        cursor: Where the page starts, as the unchanged `pagination.nextCursor` of the page before. 1 to 512
        characters.
        """
        return self._list(OPERATIONS["listKnowledgeBases"], {
            "limit": limit,
            "cursor": cursor,
        }, (timeout, deadline, retries))

    def get_document_status(
        self,
        document_id: str,
        *,
        wait_seconds: int | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> DocumentStatusReport:
        """
        Ask how far a document is.

        Returns the status of one document. Poll it every 2 to 3 seconds until the status is `processed`, `failed`
        or `timeout`. The last two come with the reason in `error`. While a file is `pending`, `queuePosition` is
        its position in the queue. A processed document is found by its words; where the service compares meanings
        by a model, `vectors` says how far it is found by its meaning too.

        With `waitSeconds` one request replaces many: the answer comes as soon as the status is one of these three,
        or after that time with the current status. A server that has very many waiting requests, or is shutting
        down, answers earlier.

        document_id: The document to return. 1 to 128 characters.

        wait_seconds: How many seconds the answer may wait for a final status; 0 for not at all. 0 to 30. Default:
        0.
        """
        answer: DocumentStatusReport = self._call(OPERATIONS["getDocumentStatus"], {
            "documentId": document_id,
            "waitSeconds": wait_seconds,
        }, (timeout, deadline, retries))
        return answer

    def get_usage(
        self,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> Usage:
        """
        Ask what the account uses.

        Returns the numbers of knowledge bases, documents and passages and the bytes stored, exact at the time of
        the answer, and the limits of the account. Open upload tickets, and uploads before their import, count
        against the storage limit, but not as `storageUsed`.
        """
        answer: Usage = self._call(OPERATIONS["getUsage"], {}, (timeout, deadline, retries))
        return answer

    def get_balance(
        self,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> Balance:
        """
        Ask for the balance.

        Returns the credits that are left, and the price of a query. This costs no credits.
        """
        answer: Balance = self._call(OPERATIONS["getBalance"], {}, (timeout, deadline, retries))
        return answer

    def get_document(
        self,
        document_id: str,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> DocumentDetails:
        """
        Ask for all details of a document.

        Returns one document with the fields of the list and further ones: the languages of its passages, and for an
        uploaded file its id and the hash of its bytes.

        document_id: The document to return. 1 to 128 characters.
        """
        answer: DocumentDetails = self._call(OPERATIONS["getDocument"], {
            "documentId": document_id,
        }, (timeout, deadline, retries))
        return answer

    def list_passages(
        self,
        document_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        from_: int | None = None,
        to: int | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> Pages[Passage]:
        """
        List the passages of a document.

        Returns the passages into which a document was split, in their order: up to 1000 without `limit` and
        `cursor`. While `pagination.hasMore` is true, request the next page with `pagination.nextCursor` as
        `cursor`. A document that is not `processed` has no passages. Searches return a passage with the same id.

        document_id: The document to return. 1 to 128 characters.

        limit: The maximum number of items in the page. 1 to 1,000. Default: 1,000.

        cursor: Where the page starts, as the unchanged `pagination.nextCursor` of the page before. 1 to 512
        characters.

        from_: The number of the first passage to list. 1 to 2,147,483,647. Default: 1.

        to: The number of the last passage to list; all if the parameter is missing. 1 to 2,147,483,647.
        """
        return self._list(OPERATIONS["listPassages"], {
            "documentId": document_id,
            "limit": limit,
            "cursor": cursor,
            "from": from_,
            "to": to,
        }, (timeout, deadline, retries))

    def get_knowledge_base(
        self,
        knowledge_base_id: str,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> KnowledgeBase:
        """
        Ask for one knowledge base.

        Returns one knowledge base as the list does, with the number of its documents, also by status, of its
        passages, and its bytes. All of these are exact at the time of the answer.

        knowledge_base_id: The knowledge base to return. 36 characters.
        """
        answer: KnowledgeBase = self._call(OPERATIONS["getKnowledgeBase"], {
            "knowledgeBaseId": knowledge_base_id,
        }, (timeout, deadline, retries))
        return answer

    def update_knowledge_base(
        self,
        knowledge_base_id: str,
        *,
        name: str | None = None,
        description: str | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> KnowledgeBase:
        """
        Rename or describe a knowledge base.

        Replaces the name, the description or both, and sets `updatedAt`. A field that is left out stays as it is;
        an empty description removes the present one. Without either field nothing changes.

        knowledge_base_id: Identifies a knowledge base. A UUID; any other text of this length is unknown, not
        invalid. 36 characters.

        name: A name for people. It need not be unique. 1 to 100 characters.

        description: What the knowledge base is for. Empty when none was given. At most 1,000 characters.
        """
        answer: KnowledgeBase = self._call(OPERATIONS["updateKnowledgeBase"], {
            "knowledgeBaseId": knowledge_base_id,
            "name": name,
            "description": description,
        }, (timeout, deadline, retries))
        return answer

    def get_document_content(
        self,
        document_id: str,
        *,
        offset: int | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> DocumentContent:
        """
        Read the text of a document.

        Returns a part of the text into which `location.start` and `location.end` of passages point. Up to 100,000
        characters come at once: request the next part with its `end` as `offset`, until `end` is `length`. Between
        passages, line breaks stand for white space and for characters without a visible form. A document that is
        not `processed` has no text.

        document_id: The document to return. 1 to 128 characters.

        offset: Code points of the text before the wanted part. 0 to 2,147,483,647. Default: 0.

        limit: The most code points to return. 1 to 100,000. Default: 100,000.
        """
        answer: DocumentContent = self._call(OPERATIONS["getDocumentContent"], {
            "documentId": document_id,
            "offset": offset,
            "limit": limit,
        }, (timeout, deadline, retries))
        return answer

    def update_document(
        self,
        document_id: str,
        *,
        title: str | None = None,
        attributes: Attributes | None = None,
        source_url: str | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> Document:
        """
        Change the title or attributes of a document.

        Changes what the request names, and leaves the rest. `attributes` replaces all of them; `{}` removes them. A
        new title is searched as soon as the answer has arrived. `metadata.source` stays what it was.

        document_id: Identifies a document. Opaque; letters, digits, `-` and `_`. 1 to 128 characters.

        title: The title of imported text, or the file name of an upload. 1 to 256 characters.

        attributes: Facts about a document that the caller has chosen, up to 16. A name has up to 64 characters:
        letters, digits, `_`, `.` and `-`. A value is a text, a number, a boolean or a list of texts. All texts
        together have up to 16,384 characters. Documents without attributes lack this field. At most 16 fields.

        source_url: The new address of the original, as at the import. An empty text removes the present one. At
        most 2,048 characters.
        """
        answer: Document = self._call(OPERATIONS["updateDocument"], {
            "documentId": document_id,
            "title": title,
            "attributes": attributes,
            "sourceUrl": source_url,
        }, (timeout, deadline, retries))
        return answer

    def retry_document(
        self,
        document_id: str,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> Document:
        """
        Read a failed file again.

        Puts a file whose status is `failed` or `timeout` into the queue again: it is `pending`, and will be read as
        after `importFile`. An address that gave no file is opened again. Useful after `INTERNAL_ERROR` and
        `PROCESSING_TIMEOUT`, and after an upgrade that reads more formats.

        document_id: Identifies a document. Opaque; letters, digits, `-` and `_`. 1 to 128 characters.
        """
        answer: Document = self._call(OPERATIONS["retryDocument"], {
            "documentId": document_id,
        }, (timeout, deadline, retries))
        return answer

    def create_webhook(
        self,
        url: str,
        *,
        events: Sequence[SubscribableEventType] | None = None,
        knowledge_base_ids: Sequence[str] | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> CreatedWebhook:
        """
        Create a webhook.

        From now on the service sends the account's events to `url`, as `POST` requests with a `WebhookEvent` as
        JSON body. They follow the Standard Webhooks specification: the headers `webhook-id`, `webhook-timestamp`
        and `webhook-signature`. Verify the signature with the `secret` of this answer; it is shown only here.

        An event counts as received once the answer has a status from 200 to 299, within ten seconds. Otherwise it
        is sent again, with growing pauses, for three days (a setting). It may arrive twice: then both requests have
        the same `webhook-id`. The events of one document arrive in the order in which they happened. A receiver
        that has accepted nothing for these three days is disabled, and so is one that answers 410.

        The address must be https, with port 443 or one from 1024 up, on a public network. Redirects are not
        followed.

        url: Where the events are sent, an https address without user name, password and fragment, white space,
        backslashes, control characters and marks of the direction of writing. 1 to 2,048 characters.

        events: The events to send; all if the field is missing, also types that later versions add. Repeated types
        count once. 1 to 20 items.

        knowledge_base_ids: The knowledge bases whose events are sent; all if the field is missing, also later ones.
        Repeated ids count once. 1 to 100 items.
        """
        answer: CreatedWebhook = self._call(OPERATIONS["createWebhook"], {
            "url": url,
            "events": events,
            "knowledgeBaseIds": knowledge_base_ids,
        }, (timeout, deadline, retries), idempotency_key)
        return answer

    def list_webhooks(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> Pages[Webhook]:
        """
        List the webhooks.

        Returns the account's webhooks, the newest first, with their state and their last 20 deliveries: up to 1000
        without `limit` and `cursor`. While `pagination.hasMore` is true, request the next page with
        `pagination.nextCursor` as `cursor`.

        limit: The maximum number of items in the page. 1 to 1,000. Default: 1,000.

        cursor: Where the page starts, as the unchanged `pagination.nextCursor` of the page before. 1 to 512
        characters.
        """
        return self._list(OPERATIONS["listWebhooks"], {
            "limit": limit,
            "cursor": cursor,
        }, (timeout, deadline, retries))

    def delete_webhook(
        self,
        webhook_id: str,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> DeletedWebhook:
        """
        Delete a webhook.

        Deletes a webhook. Events that wait are not sent any more; a request that is already under way may still
        arrive. Deleting it again is a 404.

        webhook_id: Identifies a webhook. A UUID; any other text of this length is unknown, not invalid. 36
        characters.
        """
        answer: DeletedWebhook = self._call(OPERATIONS["deleteWebhook"], {
            "webhookId": webhook_id,
        }, (timeout, deadline, retries))
        return answer

    def test_webhook(
        self,
        webhook_id: str,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> WebhookTest:
        """
        Send a test event.

        Sends an event of type `webhook.test` at once, and answers with what the receiver said, within ten seconds.
        A test is sent only once. If the receiver accepts the test, a disabled webhook is enabled again. Events from
        the time when it was disabled are not sent.

        webhook_id: Identifies a webhook. A UUID; any other text of this length is unknown, not invalid. 36
        characters.
        """
        answer: WebhookTest = self._call(OPERATIONS["testWebhook"], {
            "webhookId": webhook_id,
        }, (timeout, deadline, retries))
        return answer

    def presign_download_url(
        self,
        document_id: str,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> DownloadTicket:
        """
        Ask for a download address.

        Returns an address from which the file of a document can be downloaded for five minutes, with the bytes that
        were uploaded. A file whose import has failed can be downloaded too; imported text has no file, but
        `getDocumentContent`.

        The address needs no API key: everybody who has it can download this file, so it can be the target of a link
        in a page. A `GET` returns the bytes (`curl -OJ "$downloadUrl"`), with a `Range` a part of them. Browsers
        save the file under its name, and never show it. A deletion of the document, or the end of the key, ends the
        address early.

        document_id: The document whose file to download. 1 to 128 characters.
        """
        answer: DownloadTicket = self._call(OPERATIONS["presignDownloadUrl"], {
            "documentId": document_id,
        }, (timeout, deadline, retries))
        return answer

    def get_synonyms(
        self,
        *,
        knowledge_base_id: str | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> Synonyms:
        """
        Ask for synonyms.

        Returns the groups of synonyms of one knowledge base; without `knowledgeBaseId`, those of the account. They
        come as they were set, in the same order. A knowledge base's own groups do not include those of the account.

        knowledge_base_id: The knowledge base whose groups to return. Left out, those of the account. 36 characters.
        """
        answer: Synonyms = self._call(OPERATIONS["getSynonyms"], {
            "knowledgeBaseId": knowledge_base_id,
        }, (timeout, deadline, retries))
        return answer

    def set_synonyms(
        self,
        groups: Sequence[Union[SynonymGroupInput, SynonymGroup]],
        *,
        knowledge_base_id: str | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> Synonyms:
        """
        Set synonyms.

        Replaces all groups of synonyms of one knowledge base; without `knowledgeBaseId`, those of the account. An
        empty list removes them. They count from the next query on, and no document has to be imported again.

        The terms of a group find each other; with `finds`, they find those terms, one way only. A term may have
        several words: a query that has all of them, side by side, finds the synonyms, and a passage must have all
        words of a synonym, side by side. Other forms of a word count as the word, as everywhere. A passage with a
        synonym scores less than with the word of the query. A term in several groups has the synonyms of each;
        those have no further ones. Of terms within each other, the longest that the query has counts.

        The account's groups count in all of its queries, a knowledge base's in those that search it. In a query
        over several knowledge bases the groups of all of them count, in all passages. A key that is bound to single
        knowledge bases may set theirs only.

        knowledge_base_id: Identifies a knowledge base. A UUID; any other text of this length is unknown, not
        invalid. 36 characters.

        groups: Groups of synonyms. Their terms are at most 5,000 together, and have at most 100,000 characters. At
        most 1,000 items.
        """
        answer: Synonyms = self._call(OPERATIONS["setSynonyms"], {
            "knowledgeBaseId": knowledge_base_id,
            "groups": groups,
        }, (timeout, deadline, retries))
        return answer

    def import_url(
        self,
        *,
        knowledge_base_id: str,
        url: str,
        title: str | None = None,
        attributes: Attributes | None = None,
        external_id: str | None = None,
        if_unchanged: Literal["skip", "replace"] | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> Document:
        """
        Import the file at an address.

        Makes a document of the file or page at an `http` or `https` address. The answer comes at once with a
        `pending` document. Then the service fetches the file, once: no links are followed, only up to 5 redirects.
        It reads it like an uploaded file of up to 50 MiB.

        ```sh
        curl -H "x-api-key: $KEY" -H 'content-type: application/json' "$SERVICE/v1/importUrl" \\
          -d '{"knowledgeBaseId": "'$ID'", "url": "https://example.com/manuals/operations-manual.pdf"}'
        ```

        The address is the `externalId` too, if no other one is given. So the next import of the address replaces
        the document. If the file has not changed since, nothing new is made: `getDocumentStatus` of the new
        document then reports the one that is there, with its `id`, `status: processed` and `unchanged: true`.

        A server that cannot be reached, is busy or breaks off is tried again for about half a minute. The document
        of an address that gives no file ends as `failed` with the reason; an earlier version stays.

        knowledge_base_id: Identifies a knowledge base. A UUID; any other text of this length is unknown, not
        invalid. 36 characters.

        url: An `http` or `https` address in a public network, without user name, password and fragment, with port
        80, 443 or one from 1024 up; else as `sourceUrl`, which it becomes for the document. 1 to 2,048 characters.

        title: The title of the document. By default the name of the file. 1 to 256 characters.

        attributes: Facts about a document that the caller has chosen, up to 16. A name has up to 64 characters:
        letters, digits, `_`, `.` and `-`. A value is a text, a number, a boolean or a list of texts. All texts
        together have up to 16,384 characters. Documents without attributes lack this field. At most 16 fields.

        external_id: As at `importFile`. By default the address as it was sent, which may then have 256 characters:
        a longer one needs an `externalId`. 1 to 256 characters.

        if_unchanged: With `skip`, a file that has not changed since the last import with this `externalId` makes
        nothing new. The server is asked by the `ETag` and `Last-Modified` that it sent with it, and the SHA-256 is
        compared. With `replace`, the file is fetched and read in any case. Default: skip.
        """
        answer: Document = self._call(OPERATIONS["importUrl"], {
            "knowledgeBaseId": knowledge_base_id,
            "url": url,
            "title": title,
            "attributes": attributes,
            "externalId": external_id,
            "ifUnchanged": if_unchanged,
        }, (timeout, deadline, retries), idempotency_key)
        return answer

    def list_attributes(
        self,
        knowledge_base_id: str,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> AttributesSummary:
        """
        Ask which attributes documents have.

        Returns the attributes of the documents of a knowledge base: their names, their types, and the most frequent
        values, each with the number of its documents. So people and agents know what a `filter` may ask for.
        Documents count from the moment when they are `processed` until they are deleted. The most frequent names
        come first, up to 100, and up to 10 values of each type. In a large knowledge base only the newest 10,000
        documents are counted, or fewer with much text in their attributes: then `isComplete` is false.

        knowledge_base_id: The knowledge base whose documents are counted. 36 characters.
        """
        answer: AttributesSummary = self._call(OPERATIONS["listAttributes"], {
            "knowledgeBaseId": knowledge_base_id,
        }, (timeout, deadline, retries))
        return answer

    def list_queries(
        self,
        *,
        limit: int | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> KeptQueries:
        """
        List the last queries.

        Returns the account's last queries, the latest first: what was asked, how many results there were, and how
        long the search took. They are kept only where `setQueryHistory` has asked for that, and never with the
        results. Kept are the last 1,000, or those whose requests have 4 MiB, for 30 days at most. Queries that were
        refused or have failed are not among them, and of what somebody types with `prefix` only the end. A query
        may be missing for five seconds; a server that is killed loses those of its last five seconds.

        A query that names a knowledge base, or a document in it, goes with that knowledge base.

        limit: The maximum number of queries. 1 to 1,000. Default: 1,000.
        """
        answer: KeptQueries = self._call(OPERATIONS["listQueries"], {
            "limit": limit,
        }, (timeout, deadline, retries))
        return answer

    def set_query_history(
        self,
        enabled: bool,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> QueryHistory:
        """
        Keep the last queries, or not.

        Says whether the account's last queries are kept for `listQueries`. They are not, until somebody asks for
        it. With `enabled: false` those that were kept are removed at once. Several servers take up to five seconds
        to notice.

        enabled: Whether queries are kept from now on. `false` also removes those that were kept.
        """
        answer: QueryHistory = self._call(OPERATIONS["setQueryHistory"], {
            "enabled": enabled,
        }, (timeout, deadline, retries))
        return answer

    def create_token(
        self,
        *,
        filter: FilterOrText | None = None,
        expires_in: int | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> CreatedToken:
        """
        Create a token.

        Signs a token that stands for the key of this request for a while, and only reads: for the users of one's
        own application, whose pages may hold it. It goes where a key goes, `x-api-key`, or into `Authorization:
        Bearer`.

        With `filter` it sees only the documents of its key that match: both filters apply. A token never sees more
        than its key. One that is made by a token ends with that one at the latest, and has its filter too. Nothing
        is stored: tokens end at their time, by the clocks of the servers, and all of them once their key is revoked
        or expires. Their requests count in the rate limit of the key.

        filter: A condition on documents, in JSON or as text.

        expires_in: Seconds for which the token is valid, up to a day. 1 to 86,400. Default: 3,600.
        """
        answer: CreatedToken = self._call(OPERATIONS["createToken"], {
            "filter": filter,
            "expiresIn": expires_in,
        }, (timeout, deadline, retries))
        return answer

    def create_key(
        self,
        *,
        name: str | None = None,
        scope: KeyScope | None = None,
        knowledge_base_ids: Sequence[str] | None = None,
        filter: FilterOrText | None = None,
        expires_in_days: int | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> CreatedKey:
        """
        Create a key.

        Makes an API key of the account. The answer has it, and no later one: the service stores only its hash.

        It may do everything, unless `scope`, `knowledgeBaseIds` or `filter` say less: see Authorization. A key with
        a `filter` only reads; its scope is `search`. An account has up to 1000 keys that are neither revoked nor
        expired.

        name: What the key is for, for people. 1 to 200 characters.

        scope: `search`: queries, lists and reads. `write`: imports, changes and deletions too.

        knowledge_base_ids: The knowledge bases to which the key is bound; all if the field is missing, also later
        ones. Repeated ids count once. 1 to 100 items.

        filter: A condition on documents, in JSON or as text.

        expires_in_days: Days after which the key expires; without it, it never does. 1 to 36,500.
        """
        answer: CreatedKey = self._call(OPERATIONS["createKey"], {
            "name": name,
            "scope": scope,
            "knowledgeBaseIds": knowledge_base_ids,
            "filter": filter,
            "expiresInDays": expires_in_days,
        }, (timeout, deadline, retries))
        return answer

    def list_keys(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> Pages[Key]:
        """
        List the keys.

        Returns the keys of the account, the newest first, without their secrets: also those that are revoked or
        expired. Up to 1000 without `limit` and `cursor`. While `pagination.hasMore` is true, request the next page
        with `pagination.nextCursor` as `cursor`.

        limit: The maximum number of items in the page. 1 to 1,000. Default: 1,000.

        cursor: Where the page starts, as the unchanged `pagination.nextCursor` of the page before. 1 to 512
        characters.
        """
        return self._list(OPERATIONS["listKeys"], {
            "limit": limit,
            "cursor": cursor,
        }, (timeout, deadline, retries))

    def revoke_key(
        self,
        key_id: str,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> RevokedKey:
        """
        Revoke a key.

        Revokes a key for ever, also the one of this request: within a second, all servers refuse it, its tokens and
        its addresses. Revoking it again changes nothing.

        key_id: Names a key, and is no secret. Any other text of this length is unknown, not invalid. 24 characters.
        """
        answer: RevokedKey = self._call(OPERATIONS["revokeKey"], {
            "keyId": key_id,
        }, (timeout, deadline, retries))
        return answer


class AsyncOperations:
    """The operations, each with its arguments by name."""

    async def _call(self, operation: Operation, fields: Mapping[str, Any], limits: tuple[Any, ...], key: str | None = None) -> Any:
        raise NotImplementedError

    async def _search(self, operation: Operation, fields: Mapping[str, Any], limits: tuple[Any, ...]) -> SearchResults:
        raise NotImplementedError

    def _list(self, operation: Operation, fields: Mapping[str, Any], limits: tuple[Any, ...]) -> AsyncPages[Any]:
        raise NotImplementedError

    async def query(
        self,
        query: str,
        *,
        knowledge_base_ids: Sequence[str] | None = None,
        limit: int | None = None,
        prefix: bool | None = None,
        mode: SearchMode | None = None,
        rerank: bool | None = None,
        document_ids: Sequence[str] | None = None,
        filter: FilterOrText | None = None,
        max_per_document: int | None = None,
        distinct: bool | None = None,
        min_score: float | None = None,
        context_passages: int | None = None,
        highlight: bool | None = None,
        explain: bool | None = None,
        fields: Sequence[SearchResultField] | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> SearchResults:
        """
        Search passages.

        Returns the passages that answer the query best, in this order: by score, then the newer document, then the
        position in the document, then the id. Only passages that have at least one term of the query, or are near
        it in meaning, are returned, possibly none: `mode` chooses. For a word that none of them has, those near it
        count, with less weight: misspelt or transcribed ones, compounds and parts of compounds. Identifiers are
        never guessed. Words in quotes ask for a phrase: see `query`. A successful query costs one credit, even if
        it finds nothing. A refused one costs nothing. A client that hangs up pays for an answer that was made all
        the same.

        query: A question, or words to search for. Words in quotes (`"blood pressure"`, also “ ”, „ “, « », 「 」, 『
        』) are a phrase: all results have it, in its order and without other words between, in the content, the
        title or the headings. Its words may have other endings and punctuation, and a line break between them, but
        none is guessed. A single word in quotes has to occur. Words beside phrases count as always. Of a phrase
        that no passage has, the words are searched: `phrasesAsWords` of the answer names it. A quote that is not
        closed is none. Up to 8 phrases of 128 words together count. 1 to 8,192 characters.

        knowledge_base_ids: The knowledge bases to search: all if the field is missing, none if the list is empty.
        Repeated ids count once. At most 100 items.

        limit: The maximum number of results. 1 to 50. Default: 10.

        prefix: Whether the last word of `query` may be the beginning of one, for a search while its user types. The
        words that begin with it count too, and in full where no passage has it as a word. Default: false.

        mode: What finds passages and orders them: the `words` of the query alone, nearness in `meaning` alone, or
        `both`. By meaning, `accommodation` finds a passage about a hotel, also in another language, where the
        service has word vectors for the languages or its operator a model. Passages without any word of the query
        are found where the searched knowledge bases have at most 20,000 passages together. In larger ones, meaning
        orders passages that have words of the query, unless the operator's database has an index of vectors, which
        finds the nearest of all. What is not near enough is not found. A phrase in quotes is by words in every
        mode, and an identifier has no meaning. A synonym of `setSynonyms` counts as a word, and wins over meaning.
        Default: both.

        rerank: Whether a model puts the best passages in order, where the operator of the service has set one
        (`RERANK_URL`). `false` leaves them in the order without it, to compare the two. Scores stay in their
        places: the first passage has the best score, whichever it is. Default: true.

        document_ids: The documents to search: all if the field is missing, none if the list is empty. Repeated ids
        count once. With `knowledgeBaseIds`, only those of the documents that are in these knowledge bases. At most
        100 items.

        filter: A condition on documents, in JSON or as text.

        max_per_document: How many passages of one document may be among the results: its best ones. Passages of
        other documents take the places of the rest. 1 to 50.

        distinct: Whether passages with the same text come once: the one that fits best, with the number of the
        others in `duplicates`. Other passages take their places. Default: false.

        min_score: The lowest score of a result. All results below it are left out. Measured on open collections:
        0.15 keeps the best result of 95 % of the questions that a knowledge base answers. It leaves nothing for 86
        % of the questions about something else, and for 53 % of those about the same subjects without an answer. 0
        to 1.

        context_passages: How many passages before and after each result to add as `context`. Where results are near
        each other, no text comes twice. 0 to 3. Default: 0.

        highlight: Whether to add `highlights` and a `snippet` to each result. Default: false.

        explain: Whether to add an `explanation` of the score to each result. Default: false.

        fields: The only fields of each result to return, so that readers who pay by the token get no more than they
        need. All if the field is missing. Repeated names count once. 1 to 32 items.
        """
        return await self._search(OPERATIONS["query"], {
            "query": query,
            "knowledgeBaseIds": knowledge_base_ids,
            "limit": limit,
            "prefix": prefix,
            "mode": mode,
            "rerank": rerank,
            "documentIds": document_ids,
            "filter": filter,
            "maxPerDocument": max_per_document,
            "distinct": distinct,
            "minScore": min_score,
            "contextPassages": context_passages,
            "highlight": highlight,
            "explain": explain,
            "fields": fields,
        }, (timeout, deadline, retries))

    async def import_file(
        self,
        file_id: str,
        *,
        attributes: Attributes | None = None,
        source_url: str | None = None,
        external_id: str | None = None,
        if_unchanged: IfUnchanged | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> Document:
        """
        Import an uploaded file.

        The last of three steps: makes a document of a file whose bytes have arrived at its upload address. The
        document starts as `pending`; the file is read and indexed in the background. Importing a `fileId` again
        returns the same document.

        With an `externalId` the document replaces the earlier ones with this id as soon as it is `processed`. Until
        then the earlier one is found, and it stays if the new one fails. With `ifUnchanged: skip` a file whose
        content the service has already makes no new document.

        file_id: Identifies an uploaded file. Opaque; letters, digits, `-` and `_`. 1 to 128 characters.

        attributes: Facts about a document that the caller has chosen, up to 16. A name has up to 64 characters:
        letters, digits, `_`, `.` and `-`. A value is a text, a number, a boolean or a list of texts. All texts
        together have up to 16,384 characters. Documents without attributes lack this field. At most 16 fields.

        source_url: Where readers find the original, an `http` or `https` address without backslashes, control
        characters and marks of the direction of writing. Search results repeat it for citations. Only `importUrl`
        opens an address, which becomes the source of its document. 1 to 2,048 characters.

        external_id: The caller's own id of the document, such as a path or the key of a record, compared as it is.
        A document replaces the earlier ones with its `externalId` in the same knowledge base when it is
        `processed`, whether these are processed or not. One that fails replaces nothing. While both exist, both
        count as stored. 1 to 256 characters.

        if_unchanged: With `skip`, an import of content that the knowledge base has already makes nothing new. The
        existing document is the answer, with `unchanged: true`. Content is the same if its SHA-256 is. With an
        `externalId`, only the last document with this id is compared, and its title must be the same too, or the
        file name of a file. Its `attributes` and `sourceUrl` become those of the request, where these are given.
        Without an `externalId`, any document of the knowledge base counts, and stays as it is. Failed documents
        never count.
        """
        answer: Document = await self._call(OPERATIONS["importFile"], {
            "fileId": file_id,
            "attributes": attributes,
            "sourceUrl": source_url,
            "externalId": external_id,
            "ifUnchanged": if_unchanged,
        }, (timeout, deadline, retries))
        return answer

    async def presign_upload_url(
        self,
        *,
        knowledge_base_id: str,
        file_name: str,
        size: int,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> UploadTicket:
        """
        Ask for an upload address.

        The first of three steps. Returns an address to which one file of exactly the declared size can be sent.

        The second step: `PUT` the raw bytes there (`curl -T manual.pdf "$uploadUrl"`), with or without a
        Content-Type, and without the API key. Everybody who has the address can upload this file, so keep it
        secret. The third step: `importFile`.

        The bytes may be sent again until the file is imported; the last complete body counts. The declared size
        counts against the storage limit from now on, until the ticket expires without an upload.

        knowledge_base_id: Identifies a knowledge base. A UUID; any other text of this length is unknown, not
        invalid. 36 characters.

        file_name: The file's name with its extension. It is shown and hints at the type; it is never a path. 1 to
        256 characters.

        size: Bytes of the uploaded file, or of imported text in UTF-8. 1 to 52,428,800.
        """
        answer: UploadTicket = await self._call(OPERATIONS["presignUploadUrl"], {
            "knowledgeBaseId": knowledge_base_id,
            "fileName": file_name,
            "size": size,
        }, (timeout, deadline, retries), idempotency_key)
        return answer

    async def delete_knowledge_base(
        self,
        knowledge_base_id: str,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> DeletedKnowledgeBase:
        """
        Delete a knowledge base.

        Deletes a knowledge base with everything in it: documents, files, upload tickets and running imports. Once
        the answer has arrived, nothing of it is listed, searched or counted. Deleting it again is a 404.

        knowledge_base_id: Identifies a knowledge base. A UUID; any other text of this length is unknown, not
        invalid. 36 characters.
        """
        answer: DeletedKnowledgeBase = await self._call(OPERATIONS["deleteKnowledgeBase"], {
            "knowledgeBaseId": knowledge_base_id,
        }, (timeout, deadline, retries))
        return answer

    async def delete_document(
        self,
        document_id: str,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> DeletedDocument:
        """
        Delete a document.

        Deletes a document in any status; a running import is cancelled. Once the answer has arrived, the document
        is not listed, searched or counted. Deleting it again is a 404.

        document_id: Identifies a document. Opaque; letters, digits, `-` and `_`. 1 to 128 characters.
        """
        answer: DeletedDocument = await self._call(OPERATIONS["deleteDocument"], {
            "documentId": document_id,
        }, (timeout, deadline, retries))
        return answer

    async def import_text_content(
        self,
        *,
        knowledge_base_id: str,
        title: str,
        content: str,
        attributes: Attributes | None = None,
        source_url: str | None = None,
        external_id: str | None = None,
        if_unchanged: IfUnchanged | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> Document:
        """
        Import text.

        Makes a document of type `text` and indexes it before it answers. The document is then `processed`, and the
        next query finds it. A text without readable characters, such as control characters only, is `failed`. Every
        call makes a new document, also with the same title and content, unless it has the `Idempotency-Key` of an
        earlier call, or says `ifUnchanged: skip`.

        With an `externalId` the document replaces the earlier ones with this id: every query finds either the old
        one or the new one, never both or none.

        knowledge_base_id: Identifies a knowledge base. A UUID; any other text of this length is unknown, not
        invalid. 36 characters.

        title: The title of imported text, or the file name of an upload. 1 to 256 characters.

        content: The text, with at least one character that is not white space. 1 to 1,000,000 characters.

        attributes: Facts about a document that the caller has chosen, up to 16. A name has up to 64 characters:
        letters, digits, `_`, `.` and `-`. A value is a text, a number, a boolean or a list of texts. All texts
        together have up to 16,384 characters. Documents without attributes lack this field. At most 16 fields.

        source_url: Where readers find the original, an `http` or `https` address without backslashes, control
        characters and marks of the direction of writing. Search results repeat it for citations. Only `importUrl`
        opens an address, which becomes the source of its document. 1 to 2,048 characters.

        external_id: The caller's own id of the document, such as a path or the key of a record, compared as it is.
        A document replaces the earlier ones with its `externalId` in the same knowledge base when it is
        `processed`, whether these are processed or not. One that fails replaces nothing. While both exist, both
        count as stored. 1 to 256 characters.

        if_unchanged: With `skip`, an import of content that the knowledge base has already makes nothing new. The
        existing document is the answer, with `unchanged: true`. Content is the same if its SHA-256 is. With an
        `externalId`, only the last document with this id is compared, and its title must be the same too, or the
        file name of a file. Its `attributes` and `sourceUrl` become those of the request, where these are given.
        Without an `externalId`, any document of the knowledge base counts, and stays as it is. Failed documents
        never count.
        """
        answer: Document = await self._call(OPERATIONS["importTextContent"], {
            "knowledgeBaseId": knowledge_base_id,
            "title": title,
            "content": content,
            "attributes": attributes,
            "sourceUrl": source_url,
            "externalId": external_id,
            "ifUnchanged": if_unchanged,
        }, (timeout, deadline, retries), idempotency_key)
        return answer

    async def create_knowledge_base(
        self,
        name: str,
        *,
        description: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> KnowledgeBase:
        """
        Create a knowledge base.

        Makes an empty knowledge base. Two may have the same name; their ids differ.

        name: A name for people. It need not be unique. 1 to 100 characters.

        description: What the knowledge base is for. Empty when none was given. At most 1,000 characters.
        """
        answer: KnowledgeBase = await self._call(OPERATIONS["createKnowledgeBase"], {
            "name": name,
            "description": description,
        }, (timeout, deadline, retries), idempotency_key)
        return answer

    def list_documents(
        self,
        knowledge_base_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        status: DocumentStatus | None = None,
        title_contains: str | None = None,
        external_id: str | None = None,
        filter: FilterOrText | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> AsyncPages[Document]:
        """
        List the documents of a knowledge base.

        Returns the documents in every status, the newest first: up to 1000 without `limit` and `cursor`. While
        `pagination.hasMore` is true, request the next page with `pagination.nextCursor` as `cursor`. If documents
        are added or deleted meanwhile, no other document is skipped or repeated. A page ends earlier, with
        `hasMore`, after the document with which the attributes of the page have 4 MiB.

        knowledge_base_id: The knowledge base whose documents are listed. 36 characters.

        limit: The maximum number of items in the page. 1 to 1,000. Default: 1,000.

        cursor: Where the page starts, as the unchanged `pagination.nextCursor` of the page before. 1 to 512
        characters.

        status: Lists only the documents in this status.

        title_contains: Lists only the documents whose title contains this text. Upper and lower case are the same.
        1 to 256 characters.

        external_id: Lists only the documents with this id of the caller: the version that is found, one that is
        still to be processed, and those that have failed since. 1 to 256 characters.

        filter: Lists only the documents that fit this condition: the `filter` of `query` as JSON or as text,
        escaped as any parameter. A text needs no quotes around it. The address and the headers of a request may
        have 16 KiB together.
        """
        return self._list(OPERATIONS["listDocuments"], {
            "knowledgeBaseId": knowledge_base_id,
            "limit": limit,
            "cursor": cursor,
            "status": status,
            "titleContains": title_contains,
            "externalId": external_id,
            "filter": filter,
        }, (timeout, deadline, retries))

    def list_knowledge_bases(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> AsyncPages[KnowledgeBase]:
        """
        List the knowledge bases.

        Returns the account's knowledge bases, the newest first: up to 1000 without `limit` and `cursor`. While
        `pagination.hasMore` is true, request the next page with `pagination.nextCursor` as `cursor`.

        limit: The maximum number of items in the page. 1 to 1,000. Default: 1,000.

        cursor: Where the page starts, as the unchanged `pagination.nextCursor` of the page before. 1 to 512
        characters.
        """
        return self._list(OPERATIONS["listKnowledgeBases"], {
            "limit": limit,
            "cursor": cursor,
        }, (timeout, deadline, retries))

    async def get_document_status(
        self,
        document_id: str,
        *,
        wait_seconds: int | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> DocumentStatusReport:
        """
        Ask how far a document is.

        Returns the status of one document. Poll it every 2 to 3 seconds until the status is `processed`, `failed`
        or `timeout`. The last two come with the reason in `error`. While a file is `pending`, `queuePosition` is
        its position in the queue. A processed document is found by its words; where the service compares meanings
        by a model, `vectors` says how far it is found by its meaning too.

        With `waitSeconds` one request replaces many: the answer comes as soon as the status is one of these three,
        or after that time with the current status. A server that has very many waiting requests, or is shutting
        down, answers earlier.

        document_id: The document to return. 1 to 128 characters.

        wait_seconds: How many seconds the answer may wait for a final status; 0 for not at all. 0 to 30. Default:
        0.
        """
        answer: DocumentStatusReport = await self._call(OPERATIONS["getDocumentStatus"], {
            "documentId": document_id,
            "waitSeconds": wait_seconds,
        }, (timeout, deadline, retries))
        return answer

    async def get_usage(
        self,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> Usage:
        """
        Ask what the account uses.

        Returns the numbers of knowledge bases, documents and passages and the bytes stored, exact at the time of
        the answer, and the limits of the account. Open upload tickets, and uploads before their import, count
        against the storage limit, but not as `storageUsed`.
        """
        answer: Usage = await self._call(OPERATIONS["getUsage"], {}, (timeout, deadline, retries))
        return answer

    async def get_balance(
        self,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> Balance:
        """
        Ask for the balance.

        Returns the credits that are left, and the price of a query. This costs no credits.
        """
        answer: Balance = await self._call(OPERATIONS["getBalance"], {}, (timeout, deadline, retries))
        return answer

    async def get_document(
        self,
        document_id: str,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> DocumentDetails:
        """
        Ask for all details of a document.

        Returns one document with the fields of the list and further ones: the languages of its passages, and for an
        uploaded file its id and the hash of its bytes.

        document_id: The document to return. 1 to 128 characters.
        """
        answer: DocumentDetails = await self._call(OPERATIONS["getDocument"], {
            "documentId": document_id,
        }, (timeout, deadline, retries))
        return answer

    def list_passages(
        self,
        document_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        from_: int | None = None,
        to: int | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> AsyncPages[Passage]:
        """
        List the passages of a document.

        Returns the passages into which a document was split, in their order: up to 1000 without `limit` and
        `cursor`. While `pagination.hasMore` is true, request the next page with `pagination.nextCursor` as
        `cursor`. A document that is not `processed` has no passages. Searches return a passage with the same id.

        document_id: The document to return. 1 to 128 characters.

        limit: The maximum number of items in the page. 1 to 1,000. Default: 1,000.

        cursor: Where the page starts, as the unchanged `pagination.nextCursor` of the page before. 1 to 512
        characters.

        from_: The number of the first passage to list. 1 to 2,147,483,647. Default: 1.

        to: The number of the last passage to list; all if the parameter is missing. 1 to 2,147,483,647.
        """
        return self._list(OPERATIONS["listPassages"], {
            "documentId": document_id,
            "limit": limit,
            "cursor": cursor,
            "from": from_,
            "to": to,
        }, (timeout, deadline, retries))

    async def get_knowledge_base(
        self,
        knowledge_base_id: str,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> KnowledgeBase:
        """
        Ask for one knowledge base.

        Returns one knowledge base as the list does, with the number of its documents, also by status, of its
        passages, and its bytes. All of these are exact at the time of the answer.

        knowledge_base_id: The knowledge base to return. 36 characters.
        """
        answer: KnowledgeBase = await self._call(OPERATIONS["getKnowledgeBase"], {
            "knowledgeBaseId": knowledge_base_id,
        }, (timeout, deadline, retries))
        return answer

    async def update_knowledge_base(
        self,
        knowledge_base_id: str,
        *,
        name: str | None = None,
        description: str | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> KnowledgeBase:
        """
        Rename or describe a knowledge base.

        Replaces the name, the description or both, and sets `updatedAt`. A field that is left out stays as it is;
        an empty description removes the present one. Without either field nothing changes.

        knowledge_base_id: Identifies a knowledge base. A UUID; any other text of this length is unknown, not
        invalid. 36 characters.

        name: A name for people. It need not be unique. 1 to 100 characters.

        description: What the knowledge base is for. Empty when none was given. At most 1,000 characters.
        """
        answer: KnowledgeBase = await self._call(OPERATIONS["updateKnowledgeBase"], {
            "knowledgeBaseId": knowledge_base_id,
            "name": name,
            "description": description,
        }, (timeout, deadline, retries))
        return answer

    async def get_document_content(
        self,
        document_id: str,
        *,
        offset: int | None = None,
        limit: int | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> DocumentContent:
        """
        Read the text of a document.

        Returns a part of the text into which `location.start` and `location.end` of passages point. Up to 100,000
        characters come at once: request the next part with its `end` as `offset`, until `end` is `length`. Between
        passages, line breaks stand for white space and for characters without a visible form. A document that is
        not `processed` has no text.

        document_id: The document to return. 1 to 128 characters.

        offset: Code points of the text before the wanted part. 0 to 2,147,483,647. Default: 0.

        limit: The most code points to return. 1 to 100,000. Default: 100,000.
        """
        answer: DocumentContent = await self._call(OPERATIONS["getDocumentContent"], {
            "documentId": document_id,
            "offset": offset,
            "limit": limit,
        }, (timeout, deadline, retries))
        return answer

    async def update_document(
        self,
        document_id: str,
        *,
        title: str | None = None,
        attributes: Attributes | None = None,
        source_url: str | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> Document:
        """
        Change the title or attributes of a document.

        Changes what the request names, and leaves the rest. `attributes` replaces all of them; `{}` removes them. A
        new title is searched as soon as the answer has arrived. `metadata.source` stays what it was.

        document_id: Identifies a document. Opaque; letters, digits, `-` and `_`. 1 to 128 characters.

        title: The title of imported text, or the file name of an upload. 1 to 256 characters.

        attributes: Facts about a document that the caller has chosen, up to 16. A name has up to 64 characters:
        letters, digits, `_`, `.` and `-`. A value is a text, a number, a boolean or a list of texts. All texts
        together have up to 16,384 characters. Documents without attributes lack this field. At most 16 fields.

        source_url: The new address of the original, as at the import. An empty text removes the present one. At
        most 2,048 characters.
        """
        answer: Document = await self._call(OPERATIONS["updateDocument"], {
            "documentId": document_id,
            "title": title,
            "attributes": attributes,
            "sourceUrl": source_url,
        }, (timeout, deadline, retries))
        return answer

    async def retry_document(
        self,
        document_id: str,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> Document:
        """
        Read a failed file again.

        Puts a file whose status is `failed` or `timeout` into the queue again: it is `pending`, and will be read as
        after `importFile`. An address that gave no file is opened again. Useful after `INTERNAL_ERROR` and
        `PROCESSING_TIMEOUT`, and after an upgrade that reads more formats.

        document_id: Identifies a document. Opaque; letters, digits, `-` and `_`. 1 to 128 characters.
        """
        answer: Document = await self._call(OPERATIONS["retryDocument"], {
            "documentId": document_id,
        }, (timeout, deadline, retries))
        return answer

    async def create_webhook(
        self,
        url: str,
        *,
        events: Sequence[SubscribableEventType] | None = None,
        knowledge_base_ids: Sequence[str] | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> CreatedWebhook:
        """
        Create a webhook.

        From now on the service sends the account's events to `url`, as `POST` requests with a `WebhookEvent` as
        JSON body. They follow the Standard Webhooks specification: the headers `webhook-id`, `webhook-timestamp`
        and `webhook-signature`. Verify the signature with the `secret` of this answer; it is shown only here.

        An event counts as received once the answer has a status from 200 to 299, within ten seconds. Otherwise it
        is sent again, with growing pauses, for three days (a setting). It may arrive twice: then both requests have
        the same `webhook-id`. The events of one document arrive in the order in which they happened. A receiver
        that has accepted nothing for these three days is disabled, and so is one that answers 410.

        The address must be https, with port 443 or one from 1024 up, on a public network. Redirects are not
        followed.

        url: Where the events are sent, an https address without user name, password and fragment, white space,
        backslashes, control characters and marks of the direction of writing. 1 to 2,048 characters.

        events: The events to send; all if the field is missing, also types that later versions add. Repeated types
        count once. 1 to 20 items.

        knowledge_base_ids: The knowledge bases whose events are sent; all if the field is missing, also later ones.
        Repeated ids count once. 1 to 100 items.
        """
        answer: CreatedWebhook = await self._call(OPERATIONS["createWebhook"], {
            "url": url,
            "events": events,
            "knowledgeBaseIds": knowledge_base_ids,
        }, (timeout, deadline, retries), idempotency_key)
        return answer

    def list_webhooks(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> AsyncPages[Webhook]:
        """
        List the webhooks.

        Returns the account's webhooks, the newest first, with their state and their last 20 deliveries: up to 1000
        without `limit` and `cursor`. While `pagination.hasMore` is true, request the next page with
        `pagination.nextCursor` as `cursor`.

        limit: The maximum number of items in the page. 1 to 1,000. Default: 1,000.

        cursor: Where the page starts, as the unchanged `pagination.nextCursor` of the page before. 1 to 512
        characters.
        """
        return self._list(OPERATIONS["listWebhooks"], {
            "limit": limit,
            "cursor": cursor,
        }, (timeout, deadline, retries))

    async def delete_webhook(
        self,
        webhook_id: str,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> DeletedWebhook:
        """
        Delete a webhook.

        Deletes a webhook. Events that wait are not sent any more; a request that is already under way may still
        arrive. Deleting it again is a 404.

        webhook_id: Identifies a webhook. A UUID; any other text of this length is unknown, not invalid. 36
        characters.
        """
        answer: DeletedWebhook = await self._call(OPERATIONS["deleteWebhook"], {
            "webhookId": webhook_id,
        }, (timeout, deadline, retries))
        return answer

    async def test_webhook(
        self,
        webhook_id: str,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> WebhookTest:
        """
        Send a test event.

        Sends an event of type `webhook.test` at once, and answers with what the receiver said, within ten seconds.
        A test is sent only once. If the receiver accepts the test, a disabled webhook is enabled again. Events from
        the time when it was disabled are not sent.

        webhook_id: Identifies a webhook. A UUID; any other text of this length is unknown, not invalid. 36
        characters.
        """
        answer: WebhookTest = await self._call(OPERATIONS["testWebhook"], {
            "webhookId": webhook_id,
        }, (timeout, deadline, retries))
        return answer

    async def presign_download_url(
        self,
        document_id: str,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> DownloadTicket:
        """
        Ask for a download address.

        Returns an address from which the file of a document can be downloaded for five minutes, with the bytes that
        were uploaded. A file whose import has failed can be downloaded too; imported text has no file, but
        `getDocumentContent`.

        The address needs no API key: everybody who has it can download this file, so it can be the target of a link
        in a page. A `GET` returns the bytes (`curl -OJ "$downloadUrl"`), with a `Range` a part of them. Browsers
        save the file under its name, and never show it. A deletion of the document, or the end of the key, ends the
        address early.

        document_id: The document whose file to download. 1 to 128 characters.
        """
        answer: DownloadTicket = await self._call(OPERATIONS["presignDownloadUrl"], {
            "documentId": document_id,
        }, (timeout, deadline, retries))
        return answer

    async def get_synonyms(
        self,
        *,
        knowledge_base_id: str | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> Synonyms:
        """
        Ask for synonyms.

        Returns the groups of synonyms of one knowledge base; without `knowledgeBaseId`, those of the account. They
        come as they were set, in the same order. A knowledge base's own groups do not include those of the account.

        knowledge_base_id: The knowledge base whose groups to return. Left out, those of the account. 36 characters.
        """
        answer: Synonyms = await self._call(OPERATIONS["getSynonyms"], {
            "knowledgeBaseId": knowledge_base_id,
        }, (timeout, deadline, retries))
        return answer

    async def set_synonyms(
        self,
        groups: Sequence[Union[SynonymGroupInput, SynonymGroup]],
        *,
        knowledge_base_id: str | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> Synonyms:
        """
        Set synonyms.

        Replaces all groups of synonyms of one knowledge base; without `knowledgeBaseId`, those of the account. An
        empty list removes them. They count from the next query on, and no document has to be imported again.

        The terms of a group find each other; with `finds`, they find those terms, one way only. A term may have
        several words: a query that has all of them, side by side, finds the synonyms, and a passage must have all
        words of a synonym, side by side. Other forms of a word count as the word, as everywhere. A passage with a
        synonym scores less than with the word of the query. A term in several groups has the synonyms of each;
        those have no further ones. Of terms within each other, the longest that the query has counts.

        The account's groups count in all of its queries, a knowledge base's in those that search it. In a query
        over several knowledge bases the groups of all of them count, in all passages. A key that is bound to single
        knowledge bases may set theirs only.

        knowledge_base_id: Identifies a knowledge base. A UUID; any other text of this length is unknown, not
        invalid. 36 characters.

        groups: Groups of synonyms. Their terms are at most 5,000 together, and have at most 100,000 characters. At
        most 1,000 items.
        """
        answer: Synonyms = await self._call(OPERATIONS["setSynonyms"], {
            "knowledgeBaseId": knowledge_base_id,
            "groups": groups,
        }, (timeout, deadline, retries))
        return answer

    async def import_url(
        self,
        *,
        knowledge_base_id: str,
        url: str,
        title: str | None = None,
        attributes: Attributes | None = None,
        external_id: str | None = None,
        if_unchanged: Literal["skip", "replace"] | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> Document:
        """
        Import the file at an address.

        Makes a document of the file or page at an `http` or `https` address. The answer comes at once with a
        `pending` document. Then the service fetches the file, once: no links are followed, only up to 5 redirects.
        It reads it like an uploaded file of up to 50 MiB.

        ```sh
        curl -H "x-api-key: $KEY" -H 'content-type: application/json' "$SERVICE/v1/importUrl" \\
          -d '{"knowledgeBaseId": "'$ID'", "url": "https://example.com/manuals/operations-manual.pdf"}'
        ```

        The address is the `externalId` too, if no other one is given. So the next import of the address replaces
        the document. If the file has not changed since, nothing new is made: `getDocumentStatus` of the new
        document then reports the one that is there, with its `id`, `status: processed` and `unchanged: true`.

        A server that cannot be reached, is busy or breaks off is tried again for about half a minute. The document
        of an address that gives no file ends as `failed` with the reason; an earlier version stays.

        knowledge_base_id: Identifies a knowledge base. A UUID; any other text of this length is unknown, not
        invalid. 36 characters.

        url: An `http` or `https` address in a public network, without user name, password and fragment, with port
        80, 443 or one from 1024 up; else as `sourceUrl`, which it becomes for the document. 1 to 2,048 characters.

        title: The title of the document. By default the name of the file. 1 to 256 characters.

        attributes: Facts about a document that the caller has chosen, up to 16. A name has up to 64 characters:
        letters, digits, `_`, `.` and `-`. A value is a text, a number, a boolean or a list of texts. All texts
        together have up to 16,384 characters. Documents without attributes lack this field. At most 16 fields.

        external_id: As at `importFile`. By default the address as it was sent, which may then have 256 characters:
        a longer one needs an `externalId`. 1 to 256 characters.

        if_unchanged: With `skip`, a file that has not changed since the last import with this `externalId` makes
        nothing new. The server is asked by the `ETag` and `Last-Modified` that it sent with it, and the SHA-256 is
        compared. With `replace`, the file is fetched and read in any case. Default: skip.
        """
        answer: Document = await self._call(OPERATIONS["importUrl"], {
            "knowledgeBaseId": knowledge_base_id,
            "url": url,
            "title": title,
            "attributes": attributes,
            "externalId": external_id,
            "ifUnchanged": if_unchanged,
        }, (timeout, deadline, retries), idempotency_key)
        return answer

    async def list_attributes(
        self,
        knowledge_base_id: str,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> AttributesSummary:
        """
        Ask which attributes documents have.

        Returns the attributes of the documents of a knowledge base: their names, their types, and the most frequent
        values, each with the number of its documents. So people and agents know what a `filter` may ask for.
        Documents count from the moment when they are `processed` until they are deleted. The most frequent names
        come first, up to 100, and up to 10 values of each type. In a large knowledge base only the newest 10,000
        documents are counted, or fewer with much text in their attributes: then `isComplete` is false.

        knowledge_base_id: The knowledge base whose documents are counted. 36 characters.
        """
        answer: AttributesSummary = await self._call(OPERATIONS["listAttributes"], {
            "knowledgeBaseId": knowledge_base_id,
        }, (timeout, deadline, retries))
        return answer

    async def list_queries(
        self,
        *,
        limit: int | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> KeptQueries:
        """
        List the last queries.

        Returns the account's last queries, the latest first: what was asked, how many results there were, and how
        long the search took. They are kept only where `setQueryHistory` has asked for that, and never with the
        results. Kept are the last 1,000, or those whose requests have 4 MiB, for 30 days at most. Queries that were
        refused or have failed are not among them, and of what somebody types with `prefix` only the end. A query
        may be missing for five seconds; a server that is killed loses those of its last five seconds.

        A query that names a knowledge base, or a document in it, goes with that knowledge base.

        limit: The maximum number of queries. 1 to 1,000. Default: 1,000.
        """
        answer: KeptQueries = await self._call(OPERATIONS["listQueries"], {
            "limit": limit,
        }, (timeout, deadline, retries))
        return answer

    async def set_query_history(
        self,
        enabled: bool,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> QueryHistory:
        """
        Keep the last queries, or not.

        Says whether the account's last queries are kept for `listQueries`. They are not, until somebody asks for
        it. With `enabled: false` those that were kept are removed at once. Several servers take up to five seconds
        to notice.

        enabled: Whether queries are kept from now on. `false` also removes those that were kept.
        """
        answer: QueryHistory = await self._call(OPERATIONS["setQueryHistory"], {
            "enabled": enabled,
        }, (timeout, deadline, retries))
        return answer

    async def create_token(
        self,
        *,
        filter: FilterOrText | None = None,
        expires_in: int | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> CreatedToken:
        """
        Create a token.

        Signs a token that stands for the key of this request for a while, and only reads: for the users of one's
        own application, whose pages may hold it. It goes where a key goes, `x-api-key`, or into `Authorization:
        Bearer`.

        With `filter` it sees only the documents of its key that match: both filters apply. A token never sees more
        than its key. One that is made by a token ends with that one at the latest, and has its filter too. Nothing
        is stored: tokens end at their time, by the clocks of the servers, and all of them once their key is revoked
        or expires. Their requests count in the rate limit of the key.

        filter: A condition on documents, in JSON or as text.

        expires_in: Seconds for which the token is valid, up to a day. 1 to 86,400. Default: 3,600.
        """
        answer: CreatedToken = await self._call(OPERATIONS["createToken"], {
            "filter": filter,
            "expiresIn": expires_in,
        }, (timeout, deadline, retries))
        return answer

    async def create_key(
        self,
        *,
        name: str | None = None,
        scope: KeyScope | None = None,
        knowledge_base_ids: Sequence[str] | None = None,
        filter: FilterOrText | None = None,
        expires_in_days: int | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> CreatedKey:
        """
        Create a key.

        Makes an API key of the account. The answer has it, and no later one: the service stores only its hash.

        It may do everything, unless `scope`, `knowledgeBaseIds` or `filter` say less: see Authorization. A key with
        a `filter` only reads; its scope is `search`. An account has up to 1000 keys that are neither revoked nor
        expired.

        name: What the key is for, for people. 1 to 200 characters.

        scope: `search`: queries, lists and reads. `write`: imports, changes and deletions too.

        knowledge_base_ids: The knowledge bases to which the key is bound; all if the field is missing, also later
        ones. Repeated ids count once. 1 to 100 items.

        filter: A condition on documents, in JSON or as text.

        expires_in_days: Days after which the key expires; without it, it never does. 1 to 36,500.
        """
        answer: CreatedKey = await self._call(OPERATIONS["createKey"], {
            "name": name,
            "scope": scope,
            "knowledgeBaseIds": knowledge_base_ids,
            "filter": filter,
            "expiresInDays": expires_in_days,
        }, (timeout, deadline, retries))
        return answer

    def list_keys(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> AsyncPages[Key]:
        """
        List the keys.

        Returns the keys of the account, the newest first, without their secrets: also those that are revoked or
        expired. Up to 1000 without `limit` and `cursor`. While `pagination.hasMore` is true, request the next page
        with `pagination.nextCursor` as `cursor`.

        limit: The maximum number of items in the page. 1 to 1,000. Default: 1,000.

        cursor: Where the page starts, as the unchanged `pagination.nextCursor` of the page before. 1 to 512
        characters.
        """
        return self._list(OPERATIONS["listKeys"], {
            "limit": limit,
            "cursor": cursor,
        }, (timeout, deadline, retries))

    async def revoke_key(
        self,
        key_id: str,
        *,
        timeout: float | None = None,
        deadline: float | None = None,
        retries: int | None = None,
    ) -> RevokedKey:
        """
        Revoke a key.

        Revokes a key for ever, also the one of this request: within a second, all servers refuse it, its tokens and
        its addresses. Revoking it again changes nothing.

        key_id: Names a key, and is no secret. Any other text of this length is unknown, not invalid. 24 characters.
        """
        answer: RevokedKey = await self._call(OPERATIONS["revokeKey"], {
            "keyId": key_id,
        }, (timeout, deadline, retries))
        return answer
