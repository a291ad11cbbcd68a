/** Judges answers by the model. Each function returns the violations of one answer, or an empty list. */
import type { Document, SearchResult, Usage } from '../../../generated/types.gen.ts';
import { mayBeSeen, mustBeSeen, type Span } from './lifetime.ts';
import {
  type DocumentRecord,
  type KnowledgeBaseRecord,
  mayBeListed,
  mustBeFound,
  mustBeListed,
  type Violation,
  type World,
  type Wrong,
} from './world.ts';

const violation = (wrong: Wrong, what: string): Violation => ({ wrong, what });

/** The violations in a list of things with unique names. */
function judgeNames<Thing>(
  names: string[],
  {
    things,
    nameOf,
    must,
    may,
  }: {
    things: Thing[];
    nameOf(thing: Thing): string;
    must(thing: Thing): boolean;
    may(thing: Thing): boolean;
  },
): Violation[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const known = new Set(things.map(nameOf));
  return [
    ...[...counts].flatMap(([name, count]) => (count > 1 ? violation('doubled', `${name} is listed`) : [])),
    ...[...counts.keys()].flatMap((name) =>
      known.has(name) ? [] : violation('not what was stored', `${name} is listed`),
    ),
    ...things.flatMap((thing) => {
      const name = nameOf(thing);
      if (must(thing) && !counts.has(name)) return violation('lost', `${name} is not listed`);
      return !may(thing) && counts.has(name)
        ? violation('shown after its deletion', `${name} is listed`)
        : [];
    }),
  ];
}

export const judgeKnowledgeBases = (world: World, names: string[], span: Span): Violation[] =>
  judgeNames(names, {
    things: world.knowledgeBases,
    nameOf: ({ name }) => name,
    must: ({ life }) => mustBeSeen(life, span),
    may: ({ life }) => mayBeSeen(life, span),
  });

/** Whether a document's fields match what was sent. An unfinished file has no fields to compare yet. */
function judgeDocument(record: DocumentRecord, shown: Document): Violation[] {
  const { title, sizeBytes, words, kind } = record;
  const wrong = (what: string) => violation('not what was stored', `${title} ${what}`);
  const { status, passageCount, error, size } = shown;
  if (record.id !== undefined && record.id !== shown.id)
    return [violation('doubled', `${title}: ${shown.id}`)];
  if (size !== sizeBytes) return [wrong(`has ${size} bytes`)];
  if (status === 'pending' || status === 'processing') return kind === 'text' ? [wrong(`is ${status}`)] : [];
  if (kind === 'blank')
    return error?.code === 'NO_TEXT_EXTRACTED' ? [] : [wrong(`is ${status}, though blank`)];
  if (status !== 'processed') return [wrong(`is ${status}: ${error?.message}`)];
  return passageCount === words.length
    ? []
    : [violation('half-indexed', `${title}: ${passageCount} passages`)];
}

/** Judges the whole list of a knowledge base's documents. */
export function judgeDocuments(
  knowledgeBase: KnowledgeBaseRecord,
  listed: Document[],
  span: Span,
): Violation[] {
  const { documents } = knowledgeBase;
  const byTitle = new Map(documents.map((record) => [record.title, record]));
  const names = judgeNames(
    listed.map(({ title }) => title),
    {
      things: documents,
      nameOf: ({ title }) => title,
      must: (record) => mustBeListed(record, span),
      may: (record) => mayBeListed(record, span),
    },
  );
  const contents = listed.flatMap((shown) => {
    const record = byTitle.get(shown.title);
    return record === undefined ? [] : judgeDocument(record, shown);
  });
  return [...names, ...contents];
}

/** Judges one passage of an answer: it has one of the query's words, and comes from that word's document. */
function judgePassage(world: World, asked: string[], result: SearchResult): Violation[] {
  const word = asked.find((each) => result.content.includes(each));
  const record = word === undefined ? undefined : world.byWord.get(word);
  if (record === undefined) return [violation('not what was stored', `a query found ${result.content}`)];
  const { title, content, knowledgeBase, id } = record;
  const isWhole = content.includes(result.content) && result.title === title;
  if (!isWhole || result.knowledge_base_id !== knowledgeBase.id)
    return [violation('not what was stored', `${title} is found as ${JSON.stringify(result)}`)];
  return id !== undefined && result.document_id !== id
    ? [violation('doubled', `${title} is found as ${result.document_id}`)]
    : [];
}

/** Judges the results from one document, when the query asked for all of its passages. */
function judgeFound(record: DocumentRecord, results: SearchResult[], span: Span): Violation[] {
  const { title, words } = record;
  const counts = words.map((word) => results.filter(({ content }) => content.includes(word)).length);
  const found = counts.filter((count) => count > 0).length;
  if (Math.max(...counts) > 1) return [violation('doubled', `${title} is found ${counts.join(', ')} times`)];
  if (found > 0 && !mayBeListed(record, span))
    return [violation('shown after its deletion', `${title} is found`)];
  if (found > 0 && found < words.length)
    return [violation('half-indexed', `${title}: ${counts.join(', ')} found`)];
  return found === 0 && mustBeFound(record, span) ? [violation('lost', `${title} is not found`)] : [];
}

/**
 * Judges the answer to a query for every passage of these documents. `limit` must leave room for all of them.
 * `span`: of the request.
 */
export function judgeResults(
  world: World,
  { asked, results, span }: { asked: DocumentRecord[]; results: SearchResult[]; span: Span },
): Violation[] {
  const words = asked.flatMap((record) => record.words);
  return [
    ...results.flatMap((result) => judgePassage(world, words, result)),
    ...asked
      .filter((record) => record.words.length > 0)
      .flatMap((record) => judgeFound(record, results, span)),
  ];
}

const sizesOf = (records: DocumentRecord[]): number =>
  records.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

/** The stored knowledge bases and bytes lie between what must exist and what may exist. */
export function judgeUsage(
  world: World,
  { knowledgeBaseCount, storageUsed }: Usage,
  span: Span,
): Violation[] {
  const { knowledgeBases } = world;
  const documents = knowledgeBases.flatMap((knowledgeBase) => knowledgeBase.documents);
  const check = (what: string, said: number, least: number, most: number) => {
    if (said < least) return [violation('lost', `${what}: ${said}, at least ${least}`)];
    return said > most ? [violation('doubled', `${what}: ${said}, at most ${most}`)] : [];
  };
  return [
    ...check(
      'knowledgeBaseCount',
      knowledgeBaseCount,
      knowledgeBases.filter(({ life }) => mustBeSeen(life, span)).length,
      knowledgeBases.filter(({ life }) => mayBeSeen(life, span)).length,
    ),
    ...check(
      'storageUsed',
      storageUsed,
      sizesOf(documents.filter((record) => mustBeListed(record, span))),
      sizesOf(documents.filter((record) => mayBeListed(record, span))),
    ),
  ];
}

/**
 * A charge this close before PostgreSQL's death may be lost. Its commit does not wait for the disk,
 * but reaches it within three times wal_writer_delay (PostgreSQL manual, 28.4), 600 ms.
 * The rest allows for the clocks of two processes.
 */
const CHARGE_DEFERRED_MS = 1_000;

/** The balance has decreased by the answered queries, and possibly by those whose answer was lost. */
export function judgeCharges(
  { charges: { answeredAtMs, inDoubt } }: World,
  { charged, crashedAtMs }: { charged: number; crashedAtMs: number[] },
): Violation[] {
  const isFirm = (answered: number) =>
    crashedAtMs.every((crashed) => Math.abs(answered - crashed) > CHARGE_DEFERRED_MS);
  const least = answeredAtMs.filter(isFirm).length;
  const most = answeredAtMs.length + inDoubt;
  if (charged < least)
    return [violation('lost', `${charged} queries are charged, at least ${least} answered`)];
  return charged > most ? [violation('doubled', `${charged} queries are charged, ${most} sent`)] : [];
}
