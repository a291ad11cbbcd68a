/** The model of crash runs: which answers it accepts while the truth is unknown, and which it calls wrong. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Document, SearchResult } from '../../../generated/types.gen.ts';
import {
  judgeCharges,
  judgeDocuments,
  judgeKnowledgeBases,
  judgeResults,
  judgeUsage,
  judgeVersions,
} from './judge.ts';
import { type Life, mayBeSeen, mustBeSeen, type Span, settle } from './lifetime.ts';
import { planDocument } from './planned-documents.ts';
import {
  addDocument,
  addKnowledgeBase,
  createWorld,
  type DocumentRecord,
  type KnowledgeBaseRecord,
  noteProcessed,
  type Versions,
  type World,
} from './world.ts';

let world: World;
let knowledgeBase: KnowledgeBaseRecord;
let record: DocumentRecord;

beforeEach(() => {
  world = createWorld();
  knowledgeBase = addKnowledgeBase(world, 'base');
  Object.assign(knowledgeBase, { id: 'base-id' });
  knowledgeBase.life.madeAt = world.clock();
  record = addDocument(world, knowledgeBase, planDocument(7, 'text'));
});

function acknowledge(): void {
  record.id = 'document-id';
  record.life.madeAt = world.clock();
  record.searchableAt = world.clock();
}

/** A request that is sent now and answered after `meanwhile`. */
function spanOver(meanwhile = () => {}): Span {
  const sentAt = world.clock();
  meanwhile();
  return { sentAt, answeredAt: world.clock() };
}

/** The document as a correct list shows it. */
const shown = (change: Partial<Document> = {}): Document => ({
  id: 'document-id',
  knowledgeBaseId: 'base-id',
  title: record.title,
  type: 'text',
  size: record.sizeBytes,
  status: 'processed',
  passageCount: record.words.length,
  warnings: [],
  createdAt: '',
  updatedAt: '',
  ...change,
});

/** All its passages as a correct query returns them. */
const passages = (): SearchResult[] =>
  record.content.split('\n\n').map((content, index) => ({
    id: `document-id_${index + 1}`,
    score: 0.5,
    document_id: 'document-id',
    knowledge_base_id: 'base-id',
    title: record.title,
    type: 'text',
    content,
    metadata: { source: record.title, annotations: '' },
  }));

const wrongs = (violations: { wrong: string }[]): string[] => violations.map(({ wrong }) => wrong);
const listed = (list: Document[], span = spanOver()) => wrongs(judgeDocuments(knowledgeBase, list, span));
const found = (results: SearchResult[], span = spanOver()) =>
  wrongs(judgeResults(world, { queried: [record], results, span }));

describe('a life', () => {
  const span = { sentAt: 10, answeredAt: 20 };
  test.each<[string, Life, boolean, boolean]>([
    ['is seen from its acknowledgement on', { begunAt: 1, madeAt: 2 }, true, true],
    ['may be seen while its creation is requested', { begunAt: 15 }, false, true],
    ['is not seen before its creation is requested', { begunAt: 21 }, false, false],
    ['need not be seen if the answer to its creation was lost', { begunAt: 1 }, false, true],
    ['need not be seen once its end is requested', { begunAt: 1, madeAt: 2, endBegunAt: 15 }, false, true],
    ['is not seen after its end', { begunAt: 1, madeAt: 2, endBegunAt: 3, endedAt: 9 }, false, false],
    ['may be seen until its end', { begunAt: 1, madeAt: 2, endBegunAt: 3, endedAt: 11 }, false, true],
  ])('%s', (_what, life, must, may) => {
    expect([mustBeSeen(life, span), mayBeSeen(life, span)]).toEqual([must, may]);
  });

  test('in doubt is settled by whether it exists', () => {
    const there: Life = { begunAt: 1, endBegunAt: 2 };
    settle(there, { isThere: true, now: 5 });
    expect(there).toEqual({ begunAt: 1, madeAt: 5 });
    const gone: Life = { begunAt: 1 };
    settle(gone, { isThere: false, now: 5 });
    expect(gone).toEqual({ begunAt: 1, endBegunAt: 5, endedAt: 5 });
  });

  test('stays ended after an acknowledged end, whatever is shown', () => {
    const life: Life = { begunAt: 1, madeAt: 2, endBegunAt: 3, endedAt: 4 };
    settle(life, { isThere: true, now: 5 });
    expect(mayBeSeen(life, { sentAt: 6, answeredAt: 7 })).toBe(false);
  });
});

describe('a list of documents', () => {
  test('may hold or lack a document whose answer was lost', () => {
    expect([listed([]), listed([shown()])]).toEqual([[], []]);
  });

  test('must hold an acknowledged document exactly once', () => {
    acknowledge();
    expect([listed([shown()]), listed([]), listed([shown(), shown()])]).toEqual([[], ['lost'], ['doubled']]);
  });

  test('must not hold a document under another id, or of another size', () => {
    acknowledge();
    expect([listed([shown({ id: 'other' })]), listed([shown({ size: 1 })])]).toEqual([
      ['doubled'],
      ['not what was stored'],
    ]);
  });

  test('must not hold a text without all of its passages', () => {
    expect(listed([shown({ passageCount: 2 })])).toEqual(['half-indexed']);
  });

  test('must not hold a document after its end, or that of its knowledge base, was acknowledged', () => {
    acknowledge();
    record.life.endedAt = world.clock();
    expect(listed([shown()])).toEqual(['shown after its deletion']);
    delete record.life.endedAt;
    knowledgeBase.life.endedAt = world.clock();
    expect(listed([shown()])).toEqual(['shown after its deletion']);
  });

  test('must not hold a document that was never requested', () => {
    expect(listed([shown({ title: 'unknown' })])).toEqual(['not what was stored']);
  });
});

describe('the results of a query', () => {
  test('are all passages of an acknowledged document', () => {
    acknowledge();
    expect([found(passages()), found([])]).toEqual([[], ['lost']]);
  });

  test('are all or no passages of a document whose answer was lost', () => {
    expect([found(passages()), found([]), found(passages().slice(1))]).toEqual([[], [], ['half-indexed']]);
  });

  test('hold no passage twice', () => {
    expect(found([...passages(), ...passages().slice(2)])).toEqual(['doubled']);
  });

  test('hold no document whose deletion was acknowledged before the query was sent', () => {
    acknowledge();
    const meanwhile = spanOver(() =>
      Object.assign(record.life, { endBegunAt: world.clock(), endedAt: world.clock() }),
    );
    expect([found(passages(), meanwhile), found([], meanwhile)]).toEqual([[], []]);
    expect(found(passages())).toEqual(['shown after its deletion']);
  });

  test('hold no other text', () => {
    const [first, ...rest] = passages() as [SearchResult, ...SearchResult[]]; // of three sections
    expect(found([{ ...first, content: `${first.content}!` }, ...rest])).toEqual(['not what was stored']);
  });
});

describe('the versions of a document', () => {
  let versions: Versions;
  let next: DocumentRecord;

  /** The first version is processed, and the import of the second is requested. */
  beforeEach(() => {
    versions = { externalId: 'external', word: 'xword', knowledgeBase, records: [] };
    knowledgeBase.versions.push(versions);
    knowledgeBase.documents = [];
    record = addDocument(world, knowledgeBase, planDocument(8, 'text', 'xword'), versions);
    Object.assign(record, { id: 'document-id' });
    record.life.madeAt = world.clock();
    noteProcessed(world, record);
    next = addDocument(world, knowledgeBase, planDocument(9, 'text', 'xword'), versions);
  });

  const of = (version: DocumentRecord) =>
    version.content.split('\n\n').map((content) => ({
      ...(passages()[0] as SearchResult), // of three sections
      title: version.title,
      content,
      externalId: 'external',
    }));
  const found = (results: SearchResult[], span = spanOver()) =>
    wrongs(judgeVersions(versions, results, span));

  test('are found one at a time, whichever it is while the second is imported', () => {
    expect([found(of(record)), found(of(next))]).toEqual([[], []]);
    expect([found([]), found([...of(record), ...of(next)])]).toEqual([['lost'], ['doubled']]);
    expect(found(of(record).slice(1))).toEqual(['half-indexed']);
    const sentBefore = { sentAt: record.life.begunAt, answeredAt: world.clock() };
    expect(found([], sentBefore)).toEqual([]);
  });

  test('are replaced when the second is known to be processed', () => {
    const before = spanOver();
    next.life.madeAt = world.clock();
    noteProcessed(world, next);
    expect([found(of(record), before), found(of(next))]).toEqual([[], []]);
    expect(found(of(record))).toEqual(['shown after its deletion']);
  });

  test('are still one when the answer to an import was lost, and it may come after the next one', () => {
    const third = addDocument(world, knowledgeBase, planDocument(10, 'text', 'xword'), versions);
    third.life.madeAt = world.clock();
    noteProcessed(world, third);
    expect([found(of(next)), found(of(third)), found([])]).toEqual([[], [], ['lost']]);
    expect(found(of(record))).toEqual(['shown after its deletion']);
  });

  test('are not replaced by a file without text', () => {
    settle(next.life, { isThere: false, now: world.clock() });
    settle(record.life, { isThere: true, now: world.clock() });
    addDocument(world, knowledgeBase, planDocument(11, 'blank'), versions);
    expect(found(of(record))).toEqual([]);
    expect(mustBeSeen(record.life, spanOver())).toBe(true);
  });

  test('are found under their id only, and listed as processed once', () => {
    const unnamed = of(record).map(({ externalId: _, ...result }) => result);
    expect(found(unnamed)).toEqual(['not what was stored']);
    const listedAs = (version: DocumentRecord) =>
      shown({
        id: version === record ? 'document-id' : 'next-id',
        title: version.title,
        size: version.sizeBytes,
        externalId: 'external',
      });
    expect([listed([listedAs(record)]), listed([listedAs(next)])]).toEqual([[], []]);
    expect([listed([]), listed([listedAs(record), listedAs(next)])]).toEqual([['lost'], ['doubled']]);
  });

  test('count with the bytes of their id', () => {
    const usage = (storageUsed: number) =>
      wrongs(judgeUsage(world, { knowledgeBaseCount: 1, storageUsed }, spanOver()));
    next.life.madeAt = world.clock();
    noteProcessed(world, next);
    const bytes = next.sizeBytes + 'external'.length;
    expect([usage(bytes), usage(bytes - 1), usage(bytes + 1)]).toEqual([[], ['lost'], ['doubled']]);
  });
});

test('the usage lies between the acknowledged documents and those that may exist', () => {
  const { sizeBytes } = record;
  const usage = (storageUsed: number) =>
    wrongs(judgeUsage(world, { knowledgeBaseCount: 1, storageUsed }, spanOver()));
  expect([usage(0), usage(sizeBytes), usage(2 * sizeBytes)]).toEqual([[], [], ['doubled']]);
  acknowledge();
  expect([usage(0), usage(sizeBytes)]).toEqual([['lost'], []]);
});

test('knowledge bases are listed once, from their acknowledgement to their end', () => {
  const bases = (...names: string[]) => wrongs(judgeKnowledgeBases(world, names, spanOver()));
  expect([bases('base'), bases(), bases('base', 'base')]).toEqual([[], ['lost'], ['doubled']]);
  knowledgeBase.life.endedAt = world.clock();
  expect(bases('base')).toEqual(['shown after its deletion']);
});

test('every answered query is charged, except just before PostgreSQL died; a query without an answer may be', () => {
  const charges = { answeredAtMs: [1_000, 5_000], inDoubt: 1 };
  const judge = (charged: number, crashedAtMs: number[] = []) =>
    wrongs(judgeCharges({ ...world, charges }, { charged, crashedAtMs }));
  expect([judge(1), judge(2), judge(3), judge(4)]).toEqual([['lost'], [], [], ['doubled']]);
  expect([judge(1, [5_500]), judge(0, [5_500])]).toEqual([[], ['lost']]);
});
