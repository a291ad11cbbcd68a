/** Judges answers by the model. Each function returns the violations of one answer, or an empty list. */
import type { Document, SearchResult, Usage } from '../../../generated/types.gen.ts';
import { mayBeSeen, mustBeSeen, type Span } from './lifetime.ts';
import {
  type DocumentRecord,
  type KnowledgeBaseRecord,
  mayBeListed,
  mustBeFound,
  mustBeListed,
  type Versions,
  type Violation,
  type World,
  type Wrong,
} from './world.ts';

const violation = (wrong: Wrong, what: string): Violation => ({ wrong, what });

/** Returns the violations in a list of unique names: duplicate, unknown, missing and deleted ones. */
function judgeNames<Known>(
  names: string[],
  {
    records,
    nameOf,
    must,
    may,
  }: {
    records: Known[];
    nameOf(record: Known): string;
    must(record: Known): boolean;
    may(record: Known): boolean;
  },
): Violation[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const expected = new Set(records.map(nameOf));
  return [
    ...[...counts].flatMap(([name, count]) => (count > 1 ? violation('doubled', `${name} is listed`) : [])),
    ...[...counts.keys()].flatMap((name) =>
      expected.has(name) ? [] : violation('not what was stored', `${name} is listed`),
    ),
    ...records.flatMap((record) => {
      const name = nameOf(record);
      if (must(record) && !counts.has(name)) return violation('lost', `${name} is not listed`);
      return !may(record) && counts.has(name)
        ? violation('shown after its deletion', `${name} is listed`)
        : [];
    }),
  ];
}

export const judgeKnowledgeBases = (world: World, names: string[], span: Span): Violation[] =>
  judgeNames(names, {
    records: world.knowledgeBases,
    nameOf: ({ name }) => name,
    must: ({ life }) => mustBeSeen(life, span),
    may: ({ life }) => mayBeSeen(life, span),
  });

/** Whether a document's fields match what was sent. An unfinished file has no fields to compare yet. */
function judgeDocument(record: DocumentRecord, shown: Document): Violation[] {
  const { title, sizeBytes, words, kind, versions } = record;
  const wrong = (what: string) => violation('not what was stored', `${title} ${what}`);
  const { status, passageCount, error, size } = shown;
  if (record.id !== undefined && record.id !== shown.id)
    return [violation('doubled', `${title}: ${shown.id}`)];
  if (size !== sizeBytes) return [wrong(`has ${size} bytes`)];
  if (shown.externalId !== versions?.externalId) return [wrong(`has the id ${shown.externalId}`)];
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
      records: documents,
      nameOf: ({ title }) => title,
      must: (record) => mustBeListed(record, span),
      may: (record) => mayBeListed(record, span),
    },
  );
  const contents = listed.flatMap((shown) => {
    const record = byTitle.get(shown.title);
    return record === undefined ? [] : judgeDocument(record, shown);
  });
  const processed = listed.filter(({ status }) => status === 'processed');
  const versions = knowledgeBase.versions.flatMap((each) => {
    const shown = processed.filter(({ externalId }) => externalId === each.externalId);
    return judgeVersionCount(each, shown.length, span);
  });
  return [...names, ...contents, ...versions];
}

/** From the first one on, exactly one version is found or listed as `processed`. */
function judgeVersionCount({ externalId, foundSince, knowledgeBase }: Versions, count: number, span: Span) {
  if (count > 1) return [violation('doubled', `${count} versions of ${externalId}`)];
  const isDue = foundSince !== undefined && foundSince < span.sentAt && mustBeSeen(knowledgeBase.life, span);
  return count === 0 && isDue ? [violation('lost', `no version of ${externalId}`)] : [];
}

/** Judges the answer to a query for the word that all versions have in each passage. */
export function judgeVersions(versions: Versions, results: SearchResult[], span: Span): Violation[] {
  const { externalId, knowledgeBase } = versions;
  const found = Map.groupBy(results, ({ title }) => title);
  const contents = [...found].flatMap(([title, passages]) => {
    const record = knowledgeBase.documents.find((each) => each.title === title);
    if (record?.versions !== versions || passages.some((passage) => passage.externalId !== externalId))
      return [violation('not what was stored', `${title} is found as a version of ${externalId}`)];
    return judgeFound(record, passages, span);
  });
  return [...contents, ...judgeVersionCount(versions, found.size, span)];
}

/** Judges one passage of an answer: it must contain one of the query's words, and belong to that word's document. */
function judgePassage(world: World, words: string[], result: SearchResult): Violation[] {
  const word = words.find((each) => result.content.includes(each));
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

/** Judges the results from one document. The query must have had a word of each of its passages. */
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
 * Judges the answer to a query for every passage of the `queried` documents. The query's limit must leave room for all.
 * `span`: of the request.
 */
export function judgeResults(
  world: World,
  { queried, results, span }: { queried: DocumentRecord[]; results: SearchResult[]; span: Span },
): Violation[] {
  const words = queried.flatMap((record) => record.words);
  return [
    ...results.flatMap((result) => judgePassage(world, words, result)),
    ...queried
      .filter((record) => record.words.length > 0)
      .flatMap((record) => judgeFound(record, results, span)),
  ];
}

/** What the documents count as stored: their external ids do too. */
const sizesOf = (records: DocumentRecord[]): number =>
  records.reduce((sum, { sizeBytes, versions }) => sum + sizeBytes + (versions?.externalId.length ?? 0), 0);

/** The usage lies between the knowledge bases and bytes that must exist, and those that may exist. */
export function judgeUsage(
  world: World,
  { knowledgeBaseCount, storageUsed }: Usage,
  span: Span,
): Violation[] {
  const { knowledgeBases } = world;
  const documents = knowledgeBases.flatMap((knowledgeBase) => knowledgeBase.documents);
  const check = (what: string, reported: number, least: number, most: number) => {
    if (reported < least) return [violation('lost', `${what}: ${reported}, at least ${least}`)];
    return reported > most ? [violation('doubled', `${what}: ${reported}, at most ${most}`)] : [];
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

/** Every answered query is charged. A query whose answer was lost may be charged. */
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
