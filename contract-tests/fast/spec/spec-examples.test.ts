/** Checks the spec's examples against its schemas and each other, and its error codes against their statuses. */
import { describe, expect, test } from 'vitest';
import type {
  Document,
  DocumentDetails,
  DocumentStatusReport,
  DownloadTicket,
  KnowledgeBase,
  Passage,
  SearchResult,
  UploadTicket,
  Usage,
} from '../../../generated/types.gen.ts';
import {
  bodyKindOf,
  type Content,
  errorCodesOf,
  examplesOf,
  operationOf,
  operations,
  problems,
  responses,
  STATUS_OF,
  schemas,
} from '../../../src/contract-check/spec/read-spec.ts';

/** The value of a named example. The first test checks it against its schema, so `Value` is its type. */
function exampleOf<Value>(content: Partial<Content> | undefined, name: string): Value {
  const value = content?.['application/json']?.examples?.[name]?.value;
  if (value === undefined) throw new Error(`there is no example ${name}`);
  return value as Value;
}

const answerOf = <Data>(operationId: string, name: string): Data =>
  exampleOf<{ data: Data }>(operationOf(operationId).responses['200']?.content, name).data;

function expectValidExamples(content: Partial<Content>) {
  const examples = examplesOf(content);
  expect(examples.length).toBeGreaterThan(0);
  const wrong = examples.flatMap(([name, { value }]) =>
    problems(content['application/json']?.schema ?? {}, value).map((problem) => `${name}: ${problem}`),
  );
  expect(wrong).toEqual([]);
}

describe('examples', () => {
  test.each(responses)('$operation.operationId $status has some, all valid', ({ content }) =>
    expectValidExamples(content),
  );

  const bodies = operations.flatMap(({ operationId, requestBody }) =>
    requestBody === undefined || bodyKindOf({ requestBody }) === 'bytes'
      ? []
      : [{ operationId, content: requestBody.content }],
  );
  test.each(bodies)('the body of $operationId has some, all valid', ({ content }) =>
    expectValidExamples(content),
  );

  const parameters = operations.flatMap(({ operationId, parameters = [] }) =>
    parameters.map((parameter) => ({ operationId, ...parameter })),
  );
  test.each(parameters)(
    'parameter $name of $operationId has a valid one if it is required, and no invalid one',
    ({ schema, required, example }) => {
      if (required) expect(example).toBeDefined();
      if (example !== undefined) expect(problems(schema, example)).toEqual([]);
    },
  );
});

describe('the examples agree with each other', () => {
  const knowledgeBase = answerOf<KnowledgeBase>('createKnowledgeBase', 'created');
  const knowledgeBases = answerOf<KnowledgeBase[]>('listKnowledgeBases', 'all');
  const documents = answerOf<Document[]>('listDocuments', 'all');
  const found = answerOf<SearchResult[]>('query', 'found');

  test('the documents are in the created knowledge base, newest first', () => {
    const { id, name, description, createdAt, updatedAt } = knowledgeBase;
    expect(knowledgeBases).toContainEqual(
      expect.objectContaining({ id, name, description, createdAt, updatedAt }),
    );
    expect(new Set(documents.map((document) => document.knowledgeBaseId))).toEqual(
      new Set([knowledgeBase.id]),
    );
    const times = documents.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().reverse());
  });

  test('the search finds the processed documents, best first', () => {
    const processed = documents.filter(({ status }) => status === 'processed').map(({ id }) => id);
    expect(found.map((result) => result.document_id).toSorted()).toEqual(processed.toSorted());
    const scores = found.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((left, right) => right - left));
  });

  test.each(found)('the id of passage $id fits its location, and annotations equals location', (result) => {
    const { location, metadata } = result;
    expect(JSON.parse(metadata.annotations)).toEqual(location);
    expect(result.id).toBe(`${result.document_id}_${location?.passage}`);
  });

  const details = ['file', 'text', 'failed'].map((name) => answerOf<DocumentDetails>('getDocument', name));
  const passages = ['all', 'file'].flatMap((name) => answerOf<Passage[]>('listPassages', name));

  test.each(documents)('status and details of $title agree with the list', (document) => {
    const reports = ['processed', 'text', 'failed'].map((name) =>
      answerOf<DocumentStatusReport>('getDocumentStatus', name),
    );
    const report = reports.find(({ id }) => id === document.id);
    expect(document).toEqual(expect.objectContaining(report ?? expect.fail('has no report')));
    const { source, languages, file, ...rest } = details.find(({ id }) => id === document.id) ?? {};
    expect(rest).toEqual(document);
    expect(source).toBe(document.title);
    expect(file === undefined).toBe(document.type === 'text');
    expect(languages?.reduce((sum, share) => sum + share.passageCount, 0)).toBe(document.passageCount);
  });

  test.each(documents)(
    'the passages of $title fit its passageCount and its languages, and come in order',
    (document) => {
      const own = passages.filter(({ id }) => id.startsWith(`${document.id}_`));
      const numbers = Array.from({ length: document.passageCount ?? 0 }, (_, index) => index + 1);
      expect(own.map(({ id }) => id)).toEqual(numbers.map((number) => `${document.id}_${number}`));
      expect(own.map(({ location }) => location.passage)).toEqual(numbers);
      const bounds = own.flatMap(({ location }) => [location.start, location.end]);
      expect(bounds).toEqual(bounds.toSorted((left, right) => left - right));
      const languages = details.find(({ id }) => id === document.id)?.languages ?? [];
      for (const { language, passageCount } of languages)
        expect(own.filter((passage) => passage.language === language)).toHaveLength(passageCount);
    },
  );

  test.each(passages)('passage $id is as long as its location says', ({ content, location }) => {
    expect([...content].length).toBe(location.end - location.start);
  });

  test('the search finds these passages, with the titles of their documents', () => {
    for (const { id, content, location, title, type, document_id, metadata } of found) {
      const passage = passages.find((each) => each.id === id);
      expect(passage).toMatchObject({ content, location });
      expect(documents).toContainEqual(expect.objectContaining({ id: document_id, title, type }));
      expect(metadata.source).toBe(title);
    }
  });

  test('the first page of a list is the start of the whole list', () => {
    expect(answerOf<Document[]>('listDocuments', 'firstPage')).toEqual(documents.slice(0, 1));
  });

  test('the upload address belongs to the imported file, and expires with the ticket', () => {
    const ticket = answerOf<UploadTicket>('presignUploadUrl', 'ticket');
    const { content } = operationOf('importFile').requestBody ?? {};
    expect(exampleOf(content, 'uploadedFile')).toEqual({ fileId: ticket.fileId });
    const address = new URL(ticket.uploadUrl);
    expect(address.pathname).toBe(`/uploads/${ticket.fileId}`);
    expect(Number(address.searchParams.get('expires'))).toBe(Date.parse(ticket.expiresAt));
  });

  test('the download address belongs to a document with this file, and expires with the ticket', () => {
    const { downloadUrl, expiresAt, ...described } = answerOf<DownloadTicket>('presignDownloadUrl', 'file');
    const document = details.find(({ file }) => file?.id === described.fileId);
    expect(described).toEqual({
      fileId: document?.file?.id,
      fileName: document?.source,
      mimeType: 'application/pdf',
      size: document?.size,
      sha256: document?.file?.sha256,
    });
    const address = new URL(downloadUrl);
    expect(address.pathname).toBe(`/downloads/${document?.id}`);
    expect(Number(address.searchParams.get('expires'))).toBe(Date.parse(expiresAt));
  });

  test('each knowledge base equals its list entry, and counts its listed documents', () => {
    const found = ['empty', 'filled'].map((name) => answerOf<KnowledgeBase>('getKnowledgeBase', name));
    expect(found).toEqual(knowledgeBases);
    for (const { id, documentCount, passageCount, storageUsed, documentsByStatus = {} } of found) {
      const own = documents.filter(({ knowledgeBaseId }) => knowledgeBaseId === id);
      const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
      expect(documentCount).toBe(own.length);
      expect(passageCount).toBe(sum(own.map((document) => document.passageCount ?? 0)));
      expect(storageUsed).toBe(sum(own.map(({ size }) => size)));
      for (const [status, count] of Object.entries(documentsByStatus))
        expect(count).toBe(own.filter((document) => document.status === status).length);
    }
  });

  test('usage agrees with the lists', () => {
    const usage = answerOf<Usage>('getUsage', 'usage');
    expect(usage.storageUsed).toBe(documents.reduce((sum, { size }) => sum + size, 0));
    expect(usage.knowledgeBaseCount).toBe(knowledgeBases.length);
    expect(usage.documentCount).toBe(documents.length);
    expect(usage.passageCount).toBe(passages.length);
  });
});

describe('error codes', () => {
  /** Only upload and download addresses answer with these. */
  const OF_ADDRESSES = ['FILE_ALREADY_IMPORTED', 'DOWNLOAD_EXPIRED', 'RANGE_NOT_SATISFIABLE'];

  /** Documented under `default`: these come before a request reaches an operation, or no request causes them. */
  const OF_DEFAULT = [
    'INTERNAL_ERROR',
    'MALFORMED_REQUEST',
    'NOT_FOUND',
    'METHOD_NOT_ALLOWED',
    'REQUEST_TIMEOUT',
    'HEADERS_TOO_LARGE',
  ];

  const documented = responses.flatMap(({ status, content }) =>
    errorCodesOf(content['application/json'].schema).map((errorCode) => `${errorCode} ${status}`),
  );

  test('each is documented under its one status or `default`; STORAGE_LIMIT_EXCEEDED under both', () => {
    const expected = Object.entries(STATUS_OF)
      .filter(([errorCode]) => !OF_ADDRESSES.includes(errorCode))
      .map(([errorCode, status]) => `${errorCode} ${OF_DEFAULT.includes(errorCode) ? 'default' : status}`);
    // Operations that store something document it under 403. The others never answer with it.
    expect([...new Set(documented)].sort()).toEqual([...expected, 'STORAGE_LIMIT_EXCEEDED default'].sort());
  });

  test('ErrorCode lists all that have a status, those of addresses and of `default` among them', () => {
    expect(schemas.ErrorCode?.enum?.toSorted()).toEqual(Object.keys(STATUS_OF).sort());
    expect(Object.keys(STATUS_OF)).toEqual(expect.arrayContaining([...OF_ADDRESSES, ...OF_DEFAULT]));
  });

  test.each(responses.filter(({ status }) => status !== '200'))(
    '$operation.operationId $status has the whole error envelope',
    ({ content }) => {
      const { schema } = content['application/json'];
      for (const { required, properties } of schema.oneOf ?? [schema]) {
        expect(required).toEqual(['success', 'message', 'errorCode', 'data']);
        expect(properties?.success?.enum).toEqual([false]);
        expect(properties?.data?.type).toBe('object');
      }
    },
  );
});
