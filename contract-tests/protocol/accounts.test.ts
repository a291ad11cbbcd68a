/** Accounts see nothing of each other: every operation and every id field, and nothing tells foreign from unknown. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { OPERATION_IDS, type OperationId } from '../harness/contract-check.ts';
import type { Answer } from '../harness/exchange.ts';
import { expectRefusal, readHoldings } from '../harness/expect-refusal.ts';
import { type Account, openAccount } from '../harness/opened-account.ts';
import { inputsOf, operationOf, type Schema, schemas } from '../harness/read-spec.ts';
import { bytesOf, untilFinal, uploadFile } from '../harness/uploading.ts';
import { VALID_INPUTS } from '../harness/valid-inputs.ts';

const mine = await openAccount();
const theirs = await openAccount();

type Ids = { knowledgeBaseId: string; documentId: string; fileId: string };

/** One of each thing in a new knowledge base: a text, and a file that is uploaded but not imported. */
async function createThings({ api }: Account): Promise<Ids> {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Private' });
  const text = { knowledgeBaseId, title: 'Secret', content: 'The tarsier stares.' };
  const { id: documentId } = await api.importTextContent(text);
  const bytes = bytesOf('tarsier');
  const { fileId } = await uploadFile(api, { knowledgeBaseId, fileName: 'secret.txt', bytes });
  return { knowledgeBaseId, documentId, fileId };
}

/** The same, but all of it deleted: of the document and the file once alone, once with their knowledge base. */
async function createDeletedThings(account: Account): Promise<Ids[]> {
  const [alone, together] = [await createThings(account), await createThings(account)];
  const imported = await account.api.importFile(alone.fileId);
  await account.api.deleteDocument(imported.id);
  await account.api.deleteDocument(alone.documentId);
  await account.api.deleteKnowledgeBase(together.knowledgeBaseId);
  return [{ ...alone, knowledgeBaseId: together.knowledgeBaseId }, together];
}

/** Ids of the right form that mix what is mine with what is not. */
function mixIds(own: Ids, foreign: Ids): Ids[] {
  const tail = (id: string) => id.slice(id.indexOf('_'));
  return [
    {
      knowledgeBaseId: foreign.documentId.slice(-36),
      documentId: own.knowledgeBaseId + tail(foreign.documentId),
      fileId: own.knowledgeBaseId + tail(foreign.fileId),
    },
    {
      knowledgeBaseId: own.documentId.slice(-36),
      documentId: foreign.knowledgeBaseId + tail(own.documentId),
      fileId: foreign.knowledgeBaseId + tail(own.fileId),
    },
    // A file is no document, and a document no file.
    { knowledgeBaseId: own.fileId.slice(-36), documentId: own.fileId, fileId: own.documentId },
  ];
}

/** Ids of legal length that no service would give out, or that nobody has. */
const NOBODYS: Ids[] = [
  { knowledgeBaseId: 'x'.repeat(36), documentId: 'x', fileId: 'x' },
  { knowledgeBaseId: '%'.repeat(36), documentId: "' OR '1'='1", fileId: '../../etc/passwd' },
  { knowledgeBaseId: '😀'.repeat(36), documentId: '😀'.repeat(128), fileId: '\u0001' },
  { knowledgeBaseId: randomUUID(), documentId: `${randomUUID()}_${randomUUID()}`, fileId: randomUUID() },
];

/** The schemas of ids, by what they name. */
const ID_SCHEMAS = {
  knowledgeBaseId: schemas.KnowledgeBaseId,
  documentId: schemas.DocumentId,
  fileId: schemas.FileId,
};

/** What an input of an operation names; undefined: nothing. An input that calls itself an id has to be known here. */
function namedBy(name: string, schema: Schema): keyof Ids | undefined {
  const kind = (Object.keys(ID_SCHEMAS) as (keyof Ids)[]).find(
    (
      each, // its own keys
    ) => isDeepStrictEqual(ID_SCHEMAS[each], schema.items ?? schema),
  );
  if (kind === undefined && /Ids?$/i.test(name)) throw new Error(`nobody knows what ${name} names`);
  return kind;
}

type IdField = { operationId: OperationId; field: string; kind: keyof Ids; toInput: (ids: Ids) => object };

/** Every input of every operation in the spec that names a thing; a new operation is among them by itself. */
const ID_FIELDS: IdField[] = OPERATION_IDS.flatMap((operationId) =>
  Object.entries(inputsOf(operationOf(operationId))).flatMap(([field, schema]) => {
    const kind = namedBy(field, schema);
    if (kind === undefined) return [];
    const rest = VALID_INPUTS[operationId];
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
} as const;

/** What an account has, to the last word of it. */
async function readEverything({ api }: Account) {
  const holdings = await readHoldings({ api });
  const passages = await Promise.all(
    holdings.documents.flat().map(({ id }) => api.listPassages({ documentId: id })),
  );
  return { ...holdings, passages };
}

/** All that an answer says, without what differs from request to request. */
function shown({ status, headers, text }: Answer) {
  const { 'x-request-id': _, date: __, ...rest } = headers;
  return { status, headers: rest, text };
}

test.each(ID_FIELDS)(
  '404: $operationId tells nothing by $field of what is foreign, deleted, malformed or nobody’s',
  async (each) => {
    const { operationId, kind, toInput } = each;
    const [own, foreign] = [await createThings(mine), await createThings(theirs)];
    const deleted = [...(await createDeletedThings(mine)), ...(await createDeletedThings(theirs))];
    const others = [foreign, ...deleted, ...mixIds(own, foreign), ...NOBODYS];
    const before = [await readEverything(mine), await readEverything(theirs)];

    const answers = [];
    for (const ids of others) answers.push(await mine.request(operationId, toInput(ids)));
    for (const answer of answers) expectRefusal(answer, 404, NOT_FOUND[kind]);
    expect(new Set(answers.map((answer) => JSON.stringify(shown(answer)))).size).toBe(1);
    expect([await readEverything(mine), await readEverything(theirs)]).toEqual(before);

    expect((await mine.request(operationId, toInput(own))).status).toBe(200);
    // What is read meanwhile would change under the next operation's test.
    if (operationId === 'importFile')
      for (const { id } of (await mine.api.listDocuments({ knowledgeBaseId: own.knowledgeBaseId })).data)
        await untilFinal(mine.api, id);
    expect((await theirs.request(operationId, toInput(foreign))).status).toBe(200);
  },
);

test('every operation that takes ids is in the matrix', () => {
  const without = OPERATION_IDS.filter((each) => ID_FIELDS.every(({ operationId }) => operationId !== each));
  expect(without.toSorted()).toEqual(['createKnowledgeBase', 'getBalance', 'getUsage', 'listKnowledgeBases']);
});

test('404: one foreign knowledge base among own ones makes the whole query fail', async () => {
  const [own, foreign] = [await createThings(mine), await createThings(theirs)];
  const balance = await mine.api.getBalance();
  const input = { query: 'tarsier', knowledgeBaseIds: [own.knowledgeBaseId, foreign.knowledgeBaseId] };
  expectRefusal(await mine.request('query', input), 404, 'KNOWLEDGE_BASE_NOT_FOUND');
  expect(await mine.api.getBalance()).toBe(balance);
});

test('200: a search of everything, the lists, usage and balance never show the other account', async () => {
  const [left, right] = [await openAccount({ credits: 10 }), await openAccount({ credits: 20 })];
  const [own, foreign] = [await createThings(left), await createThings(right)];
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
    expect(await account.api.getUsage()).toEqual({ knowledgeBaseCount: count, storageUsed });
    expect(await account.api.getBalance()).toBe(balance);
  }
});

test('200: what other accounts store does not change a score', async () => {
  const account = await openAccount();
  await createThings(account);
  const before = await account.api.query({ query: 'tarsier stares' });
  for (let count = 0; count < 5; count += 1) await createThings(theirs);
  expect(await account.api.query({ query: 'tarsier stares' })).toEqual(before);
});

test('200: the cursor of one account shows another one nothing of the first', async () => {
  await createThings(theirs);
  await createThings(theirs);
  const { pagination } = await theirs.api.listKnowledgeBases({ limit: 1 });
  const answer = await mine.request('listKnowledgeBases', { cursor: pagination.nextCursor });
  const { data: foreign } = await theirs.api.listKnowledgeBases();
  for (const { id } of foreign) expect(answer.text).not.toContain(id);
});
