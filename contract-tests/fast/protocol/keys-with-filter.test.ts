/**
 * Keys that carry a filter. Two accounts have the same documents that such a key sees; one of them has others beside
 * them. Every operation has to answer both in the same bytes, but for ids and times.
 */
import { describe, expect, inject, test } from 'vitest';
import { VALID_INPUTS } from '../../../src/contract-check/planning/valid-inputs.ts';
import { type Caller, createCaller } from '../../../src/contract-check/requests/calling.ts';
import type { Answer } from '../../../src/contract-check/requests/exchange.ts';
import { operationOf } from '../../../src/contract-check/spec/read-spec.ts';
import { OPERATION_IDS, type OperationId } from '../../../src/contract-check/spec/routes.ts';
import { bytesOf, untilFinal, uploadFile } from '../../harness/calls/uploading.ts';
import { runCommand } from '../../harness/service/command-line.ts';
import { type Account, createKey, openAccount } from '../../harness/service/opened-account.ts';

type Text = { title: string; content: string; attributes: Record<string, string | number> };

const WORDS = 'tarsier quokka numbat bilby dingo wombat heron otter lemur gecko civet serval'.split(' ');
/** The same words at each run. */
const wordsFrom = (seed: number, count: number): string =>
  Array.from({ length: count }, (_, i) => WORDS[(seed * 7 + i * i * 3 + seed * i) % WORDS.length]).join(' ');

const visible: Text[] = Array.from({ length: 24 }, (_, i) => ({
  title: `Field notes ${i}`,
  content:
    `The ${wordsFrom(i, 3 + (i % 9))} rests near the river bank. ` +
    `${i % 5 === 0 ? 'Paid time off is granted.' : ''}`,
  attributes: { team: 'sales', year: 2020 + (i % 4) },
}));
/** Texts with the same words, which would change every count; words that only they have; and copies. */
const hidden: Text[] = Array.from({ length: 40 }, (_, i) => ({
  title: i % 2 === 0 ? `Field notes ${i}` : `Aardwolf acquisition ${i}`,
  content:
    i % 4 === 0
      ? (visible[i % visible.length]?.content ?? '')
      : `The aardwolf and the pangolin buy ${wordsFrom(i + 3, 12)} at the quayside. El pez espada nada en el río.`,
  attributes: { team: 'board', year: 1990 + i, secret: `merger-${i}` },
}));

type World = {
  account: Account;
  /** The caller with the filter, and one without. */
  caller: Caller;
  knowledgeBaseId: string;
  emptyId: string;
  documentIds: string[];
  fileId: string;
  hiddenIds: string[];
};

const FILTER = { type: 'eq', key: 'team', value: 'sales' } as const;

/** An account with the visible documents, and the hidden ones among them. */
async function makeWorld(others: Text[]): Promise<World> {
  const account = await openAccount();
  const { api } = account;
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({
    name: 'Notes',
    description: 'of the field',
  });
  const { id: emptyId } = await api.createKnowledgeBase({ name: 'Board' });
  await api.setSynonyms({ groups: [{ terms: ['leave', 'paid time off'] }] });
  const ids: { documentIds: string[]; hiddenIds: string[] } = { documentIds: [], hiddenIds: [] };
  const add = async (text: Text | undefined, list: string[], into = knowledgeBaseId) => {
    if (text === undefined) return;
    const sourceUrl = `https://example.org/${text.title.replaceAll(' ', '-')}`;
    list.push((await api.importTextContent({ knowledgeBaseId: into, ...text, sourceUrl })).id);
  };
  for (const [i, text] of visible.entries()) {
    await add(others[2 * i], ids.hiddenIds);
    await add(text, ids.documentIds);
    await add(others[2 * i + 1], ids.hiddenIds);
  }
  await add(others[0], ids.hiddenIds, emptyId);
  const addFile = async (fileName: string, text: string, attributes: Text['attributes']) => {
    const { fileId } = await uploadFile(api, { knowledgeBaseId, fileName, bytes: bytesOf(text) });
    const { id } = await api.importFile(fileId, { attributes });
    await untilFinal(api, id);
    return id;
  };
  if (others.length > 0)
    for (const [name, text] of [
      ['broken.pdf', 'no pdf'],
      ['secret.txt', 'The aardwolf pays.'],
    ] as const)
      ids.hiddenIds.push(await addFile(name, text, { team: 'board' }));
  const fileId = await addFile('rota.txt', 'The numbat has the night watch.', { team: 'sales' });
  const apiKey = await createKey(account.name, undefined, { scope: 'search', filter: FILTER });
  const caller = createCaller({ address: account.address, apiKey });
  return { account, caller, knowledgeBaseId, emptyId, fileId, ...ids };
}

const mixed = await makeWorld(hidden);
const pure = await makeWorld([]);

/** The answer without what differs in equal worlds: ids, times, and what is made of them. */
function comparable(
  { knowledgeBaseId, emptyId, documentIds, fileId, hiddenIds }: World,
  answer: Answer,
): string {
  const names = new Map([
    ...documentIds.map((id, i) => [id, `document ${i}`] as const),
    ...hiddenIds.map((id, i) => [id, `hidden ${i}`] as const),
    [fileId, 'file'],
    [knowledgeBaseId, 'notes'],
    [emptyId, 'board'],
  ]);
  let { text } = answer;
  for (const [id, name] of names) text = text.replaceAll(id, name);
  text = text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replaceAll(/"nextCursor":"[\w-]+"/g, '"nextCursor":"CURSOR"')
    .replaceAll(/"balance":\d+/g, '"balance":CREDITS')
    .replaceAll(/"token":"[^"]+"/g, '"token":"TOKEN"')
    .replaceAll(/"downloadUrl":"[^"]+"/g, '"downloadUrl":"ADDRESS"')
    .replaceAll(/"(fileId|id)":"notes_[^"]+"/g, '"$1":"ID"');
  return `${answer.status} ${text}`;
}

type Input = Record<string, unknown>;
/** A document that exists but is invisible to the key, or an id that no document has. */
const unseen = ({ hiddenIds, knowledgeBaseId }: World, i: number) =>
  hiddenIds.at(i) ?? `${knowledgeBaseId}_0199f3b0-1c2d-7e3f-9a4b-5c6d7e8f9a0b`;
const ofDocuments =
  (extra: Input = {}) =>
  (world: World): Input[] =>
    [
      world.documentIds[0],
      world.documentIds[23],
      world.fileId,
      unseen(world, 0),
      unseen(world, -1),
      unseen(world, -2),
    ].map((documentId) => ({ documentId, ...extra }));

const QUERIES: Input[] = [
  ...WORDS.map((query) => ({ query })),
  { query: 'The quokka near the river bank' },
  ...['aardwolf', 'aardwolv', 'pangolyn', 'merger', 'acquisition', 'pez espada', 'quaysid'].map((query) => ({
    query,
  })),
  ...['aard', 'pan', 'quo', 'wom', 'ri'].map((query) => ({ query, prefix: true })),
  ...['quoka', 'riverbank', 'tarsierr', 'numbatt'].map((query) => ({ query })),
  { query: 'leave' },
  { query: '"near the river" quokka' },
  { query: '"aardwolf and the pangolin" otter' },
  { query: 'otter heron lemur', highlight: true, explain: true, contextPassages: 1 },
  { query: 'otter heron lemur', distinct: true },
  { query: 'otter heron lemur', maxPerDocument: 1, limit: 3 },
  { query: 'otter heron lemur', limit: 50, minScore: 0.2 },
  { query: 'animals of the forest', mode: 'meaning' },
  { query: 'otter heron', mode: 'words' },
  { query: 'otter', filter: 'year >= 2022' },
  { query: 'otter', filter: 'secret = "merger-3"' },
  { query: 'otter', filter: 'secrat exists' },
  { query: 'otter', filter: 'team = board' },
  { query: 'otter', filter: 'not (team = sales)' },
  { query: 'otter', filter: 'year = "1995"' },
];

/** What each operation is asked that such a key may call. A new one has to be added here, or refused in the spec. */
const REQUESTS: Partial<Record<OperationId, (world: World) => Input[]>> = {
  query: ({ knowledgeBaseId, emptyId, documentIds, ...world }) => [
    ...QUERIES.map((each) => ({ explain: true, ...each, knowledgeBaseIds: [knowledgeBaseId] })),
    ...QUERIES.slice(12, 20).map((each) => ({ explain: true, ...each })),
    { query: 'aardwolf otter', knowledgeBaseIds: [emptyId] },
    { query: 'otter heron', documentIds: documentIds.slice(0, 5) },
    { query: 'otter', documentIds: [unseen({ knowledgeBaseId, emptyId, documentIds, ...world }, 0)] },
  ],
  listDocuments: ({ knowledgeBaseId, emptyId }) => [
    { knowledgeBaseId },
    { knowledgeBaseId, limit: 5 },
    { knowledgeBaseId, status: 'failed' },
    { knowledgeBaseId, titleContains: 'Aardwolf' },
    { knowledgeBaseId, titleContains: 'Field notes 2', limit: 2 },
    { knowledgeBaseId, filter: 'team = board' },
    { knowledgeBaseId, filter: 'year >= 2022' },
    { knowledgeBaseId: emptyId },
  ],
  listKnowledgeBases: () => [{}, { limit: 1 }],
  getKnowledgeBase: ({ knowledgeBaseId, emptyId }) => [{ knowledgeBaseId }, { knowledgeBaseId: emptyId }],
  getUsage: () => [{}],
  getBalance: () => [{}],
  listAttributes: ({ knowledgeBaseId, emptyId }) => [{ knowledgeBaseId }, { knowledgeBaseId: emptyId }],
  getDocument: ofDocuments(),
  getDocumentStatus: ofDocuments(),
  getDocumentContent: ofDocuments(),
  listPassages: ofDocuments({ limit: 1 }),
  presignDownloadUrl: ofDocuments(),
  createToken: () => [{ filter: 'secret = "merger-3"', expiresIn: 60 }],
};

const heedOf = (operationId: OperationId) => operationOf(operationId)['x-keys-with-filter'] ?? 'refused';
const answering = OPERATION_IDS.filter((id) => heedOf(id) === 'visible');
const refusing = OPERATION_IDS.filter((id) => heedOf(id) === 'refused');

describe('a key with a filter', () => {
  test.each(answering)('%s answers as if there were no other documents', async (operationId) => {
    const inputsOf = REQUESTS[operationId];
    if (inputsOf === undefined) throw new Error(`say in REQUESTS what ${operationId} is asked`);
    const ask = async (world: World, { request }: Caller) => {
      const answers: string[] = [];
      for (const input of inputsOf(world)) answers.push(comparable(world, await request(operationId, input)));
      return answers;
    };
    const expected = await ask(pure, pure.caller);
    expect(await ask(mixed, mixed.caller)).toEqual(expected);
    // These requests would show the others to a key without a filter.
    if (!['createToken', 'getBalance'].includes(operationId))
      expect(await ask(mixed, mixed.account)).not.toEqual(await ask(pure, pure.account));
  });

  test.each(refusing)('%s is refused', async (operationId) => {
    const answer = await mixed.caller.request(operationId, VALID_INPUTS[operationId]);
    expect([answer.status, (answer.body as { errorCode: string }).errorCode]).toEqual([
      403,
      'KEY_NOT_PERMITTED',
    ]);
  });

  test('the pages of a list have what one page has, and the cursor of another key shows nothing more', async () => {
    const { knowledgeBaseId, documentIds, fileId, account, caller } = mixed;
    const titles: string[] = [];
    let cursor: string | undefined;
    do {
      const { data, pagination } = await caller.api.listDocuments({
        knowledgeBaseId,
        limit: 7,
        ...(cursor && { cursor }),
      });
      titles.push(...data.map(({ id }) => id));
      cursor = pagination.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(titles).toEqual([fileId, ...documentIds.toReversed()]);
    const { pagination } = await account.api.listDocuments({ knowledgeBaseId, limit: 3 });
    const after = await caller.api.listDocuments({ knowledgeBaseId, cursor: pagination.nextCursor ?? '' });
    expect(after.data.filter(({ attributes }) => attributes?.team !== 'sales')).toEqual([]);
  });

  test('a document comes and goes with its attributes', async () => {
    const { api } = mixed.account;
    const documentId = mixed.hiddenIds[3] ?? '';
    const { attributes } = await api.getDocument(documentId);
    await api.updateDocument({ documentId, attributes: { team: 'sales' } });
    expect((await mixed.caller.request('getDocument', { documentId })).status).toBe(200);
    expect(await mixed.caller.api.query({ query: 'quayside' })).toHaveLength(1);
    await api.updateDocument({ documentId, ...(attributes && { attributes }) });
    expect((await mixed.caller.request('getDocument', { documentId })).status).toBe(404);
    expect(await mixed.caller.api.query({ query: 'quayside' })).toEqual([]);
  });

  test('an address to download ends when its key does not see the document any more', async () => {
    const { fileId, account, caller } = mixed;
    const { downloadUrl } = await caller.api.presignDownloadUrl(fileId);
    expect((await fetch(downloadUrl)).status).toBe(200);
    await account.api.updateDocument({ documentId: fileId, attributes: { team: 'board' } });
    expect((await fetch(downloadUrl)).status).toBe(404);
    await account.api.updateDocument({ documentId: fileId, attributes: { team: 'sales' } });
  });
});

describe('keys create --filter', () => {
  const create = (...options: string[]) =>
    runCommand(inject('dataDirectory'), 'keys', 'create', '--account', mixed.account.name, ...options);

  test('makes a key that reads what the filter matches', async () => {
    const apiKey = await create('--filter', 'team = sales and year >= 2022');
    const { api } = createCaller({ address: mixed.account.address, apiKey });
    const { data } = await api.listDocuments({ knowledgeBaseId: mixed.knowledgeBaseId });
    expect(data.map(({ attributes }) => attributes?.year)).toEqual(expect.arrayContaining([2022, 2023]));
    expect(data).toHaveLength(12);
  });

  test.each([
    [['--filter', 'team = sales', '--scope', 'write'], 'A key with a filter only reads'],
    [['--filter', '{"type":"eq"}'], 'This is no filter'],
  ])('refuses %j', async (options, sentence) => {
    await expect(create(...options)).rejects.toThrow(sentence);
  });
});
