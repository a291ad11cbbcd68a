/**
 * Accounts see nothing of each other, and keys nothing beyond their bounds. In every id field, a foreign id gets the
 * same answer as an unknown one. Each operation answers each kind of key as its scope demands.
 */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { expect, inject, test } from 'vitest';
import {
  UNKNOWN_KNOWLEDGE_BASE_ID,
  VALID_INPUTS,
} from '../../../src/contract-check/planning/valid-inputs.ts';
import { type Caller, createCaller } from '../../../src/contract-check/requests/calling.ts';
import type { Answer } from '../../../src/contract-check/requests/exchange.ts';
import { inputsOf, operationOf, type Schema, schemas } from '../../../src/contract-check/spec/read-spec.ts';
import { OPERATION_IDS, type OperationId } from '../../../src/contract-check/spec/routes.ts';
import { expectRefusal, readHoldings } from '../../harness/calls/expect-refusal.ts';
import { bytesOf, untilFinal, uploadFile } from '../../harness/calls/uploading.ts';
import { runCommand } from '../../harness/service/command-line.ts';
import {
  type Account,
  createKey,
  type KeyBounds,
  openAccount,
} from '../../harness/service/opened-account.ts';

const mine = await openAccount();
const theirs = await openAccount();

type Ids = { knowledgeBaseId: string; documentId: string; fileId: string; webhookId: string; keyId: string };

const createKnowledgeBase = async ({ api }: Account): Promise<string> =>
  (await api.createKnowledgeBase({ name: 'Private' })).id;

/** Creates a text, a file that is uploaded but not imported, and a webhook; by default in a new knowledge base. */
async function createData(account: Account, given?: string): Promise<Ids> {
  const { api } = account;
  const knowledgeBaseId = given ?? (await createKnowledgeBase(account));
  const text = { knowledgeBaseId, title: 'Secret', content: 'The tarsier stares.' };
  const { id: documentId } = await api.importTextContent(text);
  const bytes = bytesOf('tarsier');
  const { fileId } = await uploadFile(api, { knowledgeBaseId, fileName: 'secret.txt', bytes });
  const webhook = { url: 'https://hooks.example.com/', knowledgeBaseIds: [knowledgeBaseId] };
  const { id: webhookId } = await api.createWebhook(webhook);
  const { id: keyId } = await api.createKey({ scope: 'search' });
  return { knowledgeBaseId, documentId, fileId, webhookId, keyId };
}

/** The same data twice, all deleted: the documents once by themselves, and once with their knowledge base. */
async function createDeletedData(account: Account): Promise<Ids[]> {
  const [alone, together] = [await createData(account), await createData(account)];
  const imported = await account.api.importFile(alone.fileId);
  await account.api.deleteDocument(imported.id);
  await account.api.deleteDocument(alone.documentId);
  await account.api.deleteKnowledgeBase(together.knowledgeBaseId);
  for (const { webhookId } of [alone, together]) await account.api.deleteWebhook(webhookId);
  // Keys stay, revoked or not: in their place, these have one that never was.
  const { keyId } = VALID_INPUTS.revokeKey as Pick<Ids, 'keyId'>; // as it is written there
  return [
    { ...alone, knowledgeBaseId: together.knowledgeBaseId, keyId },
    { ...together, keyId },
  ];
}

/** Read only, so that all tests share it. */
const deleted = [...(await createDeletedData(mine)), ...(await createDeletedData(theirs))];

/** Ids of the right form that mix parts of own and foreign ids. */
function mixIds(own: Ids, foreign: Ids): Ids[] {
  const tail = (id: string) => id.slice(id.indexOf('_'));
  return [
    {
      knowledgeBaseId: foreign.documentId.slice(-36),
      documentId: own.knowledgeBaseId + tail(foreign.documentId),
      fileId: own.knowledgeBaseId + tail(foreign.fileId),
      webhookId: foreign.knowledgeBaseId,
      keyId: foreign.documentId.slice(-24),
    },
    {
      knowledgeBaseId: own.documentId.slice(-36),
      documentId: foreign.knowledgeBaseId + tail(own.documentId),
      fileId: foreign.knowledgeBaseId + tail(own.fileId),
      webhookId: own.knowledgeBaseId,
      keyId: own.documentId.slice(-24),
    },
    // The id of a file as a document, and the reverse.
    {
      knowledgeBaseId: own.fileId.slice(-36),
      documentId: own.fileId,
      fileId: own.documentId,
      webhookId: own.documentId.slice(-36),
      keyId: own.fileId.slice(-24),
    },
  ];
}

/** Ids of legal length that the service never issues, or has not issued. */
const UNUSED_IDS: Ids[] = [
  { knowledgeBaseId: 'x'.repeat(36), documentId: 'x', fileId: 'x' },
  { knowledgeBaseId: '%'.repeat(36), documentId: "' OR '1'='1", fileId: '../../etc/passwd' },
  { knowledgeBaseId: '😀'.repeat(36), documentId: '😀'.repeat(128), fileId: '\u0001' },
  { knowledgeBaseId: randomUUID(), documentId: `${randomUUID()}_${randomUUID()}`, fileId: randomUUID() },
].map((ids) => ({
  ...ids,
  webhookId: ids.knowledgeBaseId,
  keyId: [...ids.knowledgeBaseId].slice(0, 24).join(''),
}));

/** The schema of each kind of id. */
const ID_SCHEMAS = {
  knowledgeBaseId: schemas.KnowledgeBaseId,
  documentId: schemas.DocumentId,
  fileId: schemas.FileId,
  webhookId: schemas.WebhookId,
  keyId: schemas.KeyId,
};

const ID_KINDS = Object.keys(ID_SCHEMAS) as (keyof Ids)[]; // its own keys

/**
 * The kind of id that an operation's input takes; undefined for other inputs.
 * @throws an Error if its name ends like an id's, but its schema is no id's
 */
function idKindOf(name: string, schema: Schema): keyof Ids | undefined {
  const kind = ID_KINDS.find((each) => isDeepStrictEqual(ID_SCHEMAS[each], schema.items ?? schema));
  // The caller's own id of a document, which names nothing outside of the knowledge base of the request.
  if (name === 'externalId') return undefined;
  if (kind === undefined && /Ids?$/i.test(name)) throw new Error(`${name} has the schema of no known id`);
  return kind;
}

type IdField = { operationId: OperationId; field: string; kind: keyof Ids; toInput: (ids: Ids) => object };

/** Every id input of every operation in the spec. New operations are included automatically. */
const ID_FIELDS: IdField[] = OPERATION_IDS.flatMap((operationId) =>
  Object.entries(inputsOf(operationOf(operationId))).flatMap(([field, schema]) => {
    const kind = idKindOf(field, schema);
    if (kind === undefined) return [];
    const { knowledgeBaseIds: _, ...rest } = VALID_INPUTS[operationId]; // an unknown one would be refused first
    const toInput = (ids: Ids) => ({
      ...rest,
      [field]: schema.type === 'array' ? [ids[kind]] : ids[kind],
    });
    return [{ operationId, field, kind, toInput }];
  }),
);

const NOT_FOUND = {
  knowledgeBaseId: 'KNOWLEDGE_BASE_NOT_FOUND',
  documentId: 'DOCUMENT_NOT_FOUND',
  fileId: 'FILE_NOT_FOUND',
  webhookId: 'WEBHOOK_NOT_FOUND',
  keyId: 'KEY_NOT_FOUND',
} as const;

/** Deletes all knowledge bases and webhooks, so that later tests have less to read. */
async function deleteEverything({ api }: Account): Promise<void> {
  for (const { id } of (await api.listKnowledgeBases()).data) await api.deleteKnowledgeBase(id);
  for (const { id } of (await api.listWebhooks()).data) await api.deleteWebhook(id);
}

/** Everything that an account stores, with the text of all passages. */
async function readEverything({ api }: Account) {
  const holdings = await readHoldings({ api });
  const passages = [];
  for (const { id } of holdings.documents.flat()) passages.push(await api.listPassages({ documentId: id }));
  return { ...holdings, passages };
}

/** An answer without the headers that differ for each request. */
function comparable({ status, headers, text }: Answer) {
  const { 'x-request-id': _, date: __, ...rest } = headers;
  return { status, headers: rest, text };
}

/** Status and errorCode of an answer, as `200` or `403 KEY_NOT_PERMITTED`. */
const outcomeOf = ({ status, body }: Answer): string =>
  [status, (body as { errorCode?: string }).errorCode].filter((part) => part !== undefined).join(' ');

/** The operations that read a file in the background. */
const STARTS_IMPORT: ReadonlySet<OperationId> = new Set(['importFile', 'uploadFile', 'importUrl']);

/** The refusals of operations that have reached the data of these tests: texts, which have not failed. */
const REFUSED_FOR_TEXTS: Partial<Record<OperationId, string>> = {
  retryDocument: '409 DOCUMENT_NOT_RETRYABLE',
  presignDownloadUrl: '409 DOCUMENT_HAS_NO_FILE',
};

/** The outcome of an operation that reaches its data. */
const reachedBy = (operationId: OperationId): string => REFUSED_FOR_TEXTS[operationId] ?? '200';

test.each(ID_FIELDS)(
  '404: $operationId answers a foreign, deleted, malformed or unknown $field alike',
  async (each) => {
    const { operationId, kind, toInput } = each;
    const [own, foreign] = [await createData(mine), await createData(theirs)];
    const others = [foreign, ...deleted, ...mixIds(own, foreign), ...UNUSED_IDS];
    const before = [await readEverything(mine), await readEverything(theirs)];

    const answers = [];
    for (const ids of others) answers.push(await mine.request(operationId, toInput(ids)));
    for (const answer of answers) expectRefusal(answer, 404, NOT_FOUND[kind]);
    expect(new Set(answers.map((answer) => JSON.stringify(comparable(answer)))).size).toBe(1);
    expect([await readEverything(mine), await readEverything(theirs)]).toEqual(before);

    expect(outcomeOf(await mine.request(operationId, toInput(own)))).toBe(reachedBy(operationId));
    // A running import would change the data during the next operation's test.
    if (STARTS_IMPORT.has(operationId))
      for (const { id } of (await mine.api.listDocuments({ knowledgeBaseId: own.knowledgeBaseId })).data)
        await untilFinal(mine.api, id);
    expect(outcomeOf(await theirs.request(operationId, toInput(foreign)))).toBe(reachedBy(operationId));
    for (const account of [mine, theirs]) await deleteEverything(account);
  },
);

test('all operations are tested except those that take no ids', () => {
  const without = OPERATION_IDS.filter((each) => ID_FIELDS.every(({ operationId }) => operationId !== each));
  expect(without.toSorted()).toEqual([
    'createKnowledgeBase',
    'createToken',
    'getBalance',
    'getUsage',
    'listKeys',
    'listKnowledgeBases',
    'listQueries',
    'listWebhooks',
    'setQueryHistory',
  ]);
});

test('404: a query of own knowledge bases and a foreign one fails, and costs nothing', async () => {
  const [own, foreign] = [await createData(mine), await createData(theirs)];
  const balance = await mine.api.getBalance();
  const input = { query: 'tarsier', knowledgeBaseIds: [own.knowledgeBaseId, foreign.knowledgeBaseId] };
  const answer = await mine.request('query', input);
  expectRefusal(answer, 404, 'KNOWLEDGE_BASE_NOT_FOUND');
  // The message names the id that the request has named. Otherwise it is the message of an unknown id.
  const unknown = { ...input, knowledgeBaseIds: [own.knowledgeBaseId, UNKNOWN_KNOWLEDGE_BASE_ID] };
  const { text } = await mine.request('query', unknown);
  expect(answer.text).toBe(text.replace(UNKNOWN_KNOWLEDGE_BASE_ID, foreign.knowledgeBaseId));
  expect(await mine.api.getBalance()).toBe(balance);
});

test('200: a search of everything, the lists, usage and balance never show the other account', async () => {
  const [left, right] = [await openAccount({ credits: 10 }), await openAccount({ credits: 20 })];
  const [own, foreign] = [await createData(left), await createData(right)];
  await right.api.createKnowledgeBase({ name: 'One more' });
  const views = [
    { account: left, ids: own, count: 1, balance: 9 },
    { account: right, ids: foreign, count: 2, balance: 19 },
  ];
  for (const { account, ids, count, balance } of views) {
    const found = await account.api.query({ query: 'tarsier', limit: 50 });
    expect(found.map((result) => result.document_id)).toEqual([ids.documentId]);
    expect((await account.api.listKnowledgeBases()).data).toHaveLength(count);
    const storageUsed = 'The tarsier stares.'.length;
    expect(await account.api.getUsage()).toMatchObject({
      knowledgeBaseCount: count,
      storageUsed,
      documentCount: 1,
      passageCount: 1,
    });
    expect(await account.api.getBalance()).toBe(balance);
  }
});

test('200: what other accounts store does not change a score', async () => {
  const account = await openAccount();
  await createData(account);
  const before = await account.api.query({ query: 'tarsier stares' });
  for (let count = 0; count < 5; count += 1) await createData(theirs);
  expect(await account.api.query({ query: 'tarsier stares' })).toEqual(before);
});

test('200: a cursor of one account does not show its data to another account', async () => {
  await createData(theirs);
  await createData(theirs);
  const { pagination } = await theirs.api.listKnowledgeBases({ limit: 1 });
  const answer = await mine.request('listKnowledgeBases', { cursor: pagination.nextCursor });
  const { data: foreign } = await theirs.api.listKnowledgeBases();
  for (const { id } of foreign) expect(answer.text).not.toContain(id);
});

/** What each operation demands of a key. A new operation does not compile before it is here. */
const REQUIRED_SCOPES: Record<OperationId, 'search' | 'write' | 'account'> = {
  query: 'search',
  importFile: 'write',
  importUrl: 'write',
  presignUploadUrl: 'write',
  deleteKnowledgeBase: 'write',
  deleteDocument: 'write',
  importTextContent: 'write',
  createKnowledgeBase: 'account',
  listDocuments: 'search',
  listKnowledgeBases: 'search',
  getDocumentStatus: 'search',
  getUsage: 'search',
  getBalance: 'search',
  getDocument: 'search',
  listPassages: 'search',
  getKnowledgeBase: 'search',
  updateKnowledgeBase: 'write',
  getDocumentContent: 'search',
  updateDocument: 'write',
  retryDocument: 'write',
  createWebhook: 'account',
  listWebhooks: 'account',
  deleteWebhook: 'account',
  testWebhook: 'account',
  uploadFile: 'write',
  presignDownloadUrl: 'search',
  getSynonyms: 'search',
  setSynonyms: 'write',
  listAttributes: 'search',
  listQueries: 'account',
  setQueryHistory: 'account',
  createToken: 'search',
  createKey: 'account',
  listKeys: 'account',
  revokeKey: 'account',
};

/** An account with two knowledge bases to which the bound keys are bound, one outside, and a key of each kind. */
async function openKeys() {
  const owner = await openAccount();
  const [inside, doomed, outside] = [
    await createData(owner),
    await createData(owner),
    await createData(owner),
  ];
  const knowledgeBaseIds = [inside, doomed].map((ids) => ids.knowledgeBaseId);
  const createCallerOf = async (bounds?: KeyBounds) =>
    createCaller({ address: owner.address, apiKey: await createKey(owner.name, undefined, bounds) });
  const revoked = await createCallerOf();
  await runCommand(inject('dataDirectory'), 'keys', 'revoke', revoked.apiKey.split('_')[1] ?? '');
  return {
    owner,
    inside,
    doomed,
    outside,
    revoked,
    search: await createCallerOf({ scope: 'search' }),
    write: await createCallerOf(),
    boundSearch: await createCallerOf({ scope: 'search', knowledgeBaseIds }),
    boundWrite: await createCallerOf({ knowledgeBaseIds }),
  };
}

const keys = await openKeys();

/** The input of an operation with these ids in its id fields. */
const inputWith = (operationId: OperationId, ids: Ids): object => {
  const fields = ID_FIELDS.filter((each) => each.operationId === operationId);
  return Object.assign({ ...VALID_INPUTS[operationId] }, ...fields.map(({ toInput }) => toInput(ids)));
};

/** Calls an operation that reaches its data, and waits until the import that it may have started has ended. */
async function expectReached({ request, api }: Caller, operationId: OperationId, ids: Ids): Promise<void> {
  const answer = await request(operationId, inputWith(operationId, ids));
  expect(outcomeOf(answer)).toBe(reachedBy(operationId));
  if (STARTS_IMPORT.has(operationId))
    await untilFinal(api, (answer.body as { data: { id: string } }).data.id);
}

test.each(OPERATION_IDS)('scopes: %s answers each kind of key as its scope demands', async (operationId) => {
  const required = REQUIRED_SCOPES[operationId];
  expect(operationOf(operationId)['x-required-scope']).toBe(required);
  const { owner, inside, outside, revoked, search, write, boundSearch, boundWrite } = keys;
  const hasIds = ID_FIELDS.some((each) => each.operationId === operationId);
  const call = async ({ request }: Caller, ids: Ids) =>
    await request(operationId, inputWith(operationId, ids));
  const ofSearch = required === 'search' ? reachedBy(operationId) : '403 KEY_NOT_PERMITTED';
  const before = await readEverything(owner);

  expect(outcomeOf(await call(revoked, inside))).toBe('401 UNAUTHORIZED');
  expect(outcomeOf(await call(search, inside))).toBe(ofSearch);
  expect(outcomeOf(await call(boundSearch, inside))).toBe(ofSearch);
  for (const caller of [boundSearch, boundWrite]) {
    const [answer, unknown] = [await call(caller, outside), await call(caller, UNUSED_IDS[3] ?? outside)];
    if (hasIds) expect(comparable(answer)).toEqual(comparable(unknown));
    const isPermitted = required === 'search' || (required === 'write' && caller === boundWrite);
    const expected = hasIds ? /^404 \w+_NOT_FOUND$/ : /^200$/;
    expect(outcomeOf(answer)).toMatch(isPermitted ? expected : /^403 KEY_NOT_PERMITTED$/);
  }
  const { balance, ...rest } = await readEverything(owner);
  expect({ ...rest, balance: before.balance }).toEqual(before); // queries have cost credits

  // A deletion of `inside` would take it from the other tests.
  const [own, deletable] = [
    await createData(owner),
    operationId === 'deleteKnowledgeBase' ? keys.doomed : inside,
  ];
  await expectReached(write, operationId, own);
  if (required === 'account') expect(outcomeOf(await call(boundWrite, inside))).toBe('403 KEY_NOT_PERMITTED');
  else await expectReached(boundWrite, operationId, await createData(owner, deletable.knowledgeBaseId));
});

test("scopes: a bound key sets the synonyms of its knowledge bases, and only reads the account's", async () => {
  const { boundWrite, inside, owner } = keys;
  const groups = [{ terms: ['quokka', 'setonix'] }];
  const answer = await boundWrite.request('setSynonyms', { groups });
  expect(outcomeOf(answer)).toBe('403 KEY_NOT_PERMITTED');
  expect(await owner.api.getSynonyms()).toEqual({ groups: [] });
  await boundWrite.api.setSynonyms({ knowledgeBaseId: inside.knowledgeBaseId, groups });
  expect(await owner.api.getSynonyms(inside.knowledgeBaseId)).toEqual({ groups });
  expect(await boundWrite.api.getSynonyms()).toEqual({ groups: [] });
  await owner.api.setSynonyms({ knowledgeBaseId: inside.knowledgeBaseId, groups: [] });
});
