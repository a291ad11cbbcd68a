/** The model of a crash run: the writes that its clients have requested, and those that were acknowledged. */
import { type Clock, createClock, type Life, mayBeSeen, mustBeSeen, type Span } from './lifetime.ts';
import type { PlannedDocument } from './planned-documents.ts';

/** `id`: known after an acknowledgement, or from a list. */
export type KnowledgeBaseRecord = {
  name: string;
  id?: string;
  life: Life;
  documents: DocumentRecord[];
  versions: Versions[];
};

/**
 * The documents that one client imports with the same external id. `word`: in each passage of them. `foundSince`: when
 * the first one was known to be processed. From then on exactly one of them is found.
 */
export type Versions = {
  externalId: string;
  word: string;
  knowledgeBase: KnowledgeBaseRecord;
  records: DocumentRecord[];
  foundSince?: number;
};

/** `searchableAt`: when it was first known to be processed. */
export type DocumentRecord = PlannedDocument & {
  knowledgeBase: KnowledgeBaseRecord;
  versions?: Versions | undefined;
  id?: string;
  life: Life;
  searchableAt?: number;
};

/** The kinds of violations. The first three are the words of the promise. */
export type Wrong =
  | 'lost'
  | 'doubled'
  | 'half-indexed'
  | 'shown after its deletion'
  | 'not what was stored'
  | 'refused without reason'
  | 'fault';

export type Violation = { wrong: Wrong; what: string };

/**
 * `answeredAtMs`: answered queries by `performance.now()`, in milliseconds. `inDoubt`: the number of unanswered ones.
 */
export type Charges = { answeredAtMs: number[]; inDoubt: number };

/** Counts of one operation's requests. `inDoubt`: no answer showed their effect. */
export type Tally = { acknowledged: number; refused: number; inDoubt: number };

export type World = {
  clock: Clock;
  tallies: Map<string, Tally>;
  knowledgeBases: KnowledgeBaseRecord[];
  byWord: Map<string, DocumentRecord>;
  charges: Charges;
  violations: Violation[];
};

export const createWorld = (): World => ({
  clock: createClock(),
  tallies: new Map(),
  knowledgeBases: [],
  byWord: new Map(),
  charges: { answeredAtMs: [], inDoubt: 0 },
  violations: [],
});

/** Notes a knowledge base before it is requested. */
export function addKnowledgeBase(world: World, name: string): KnowledgeBaseRecord {
  const record = { name, life: { begunAt: world.clock() }, documents: [], versions: [] };
  world.knowledgeBases.push(record);
  return record;
}

/** Whether the import may still take effect, since its answer was lost. */
const isInDoubt = ({ life, words }: DocumentRecord): boolean =>
  life.madeAt === undefined && life.endedAt === undefined && words.length > 0;

/**
 * Notes a version before its import is requested. From then on it may replace the earlier ones. An earlier one whose
 * answer was lost may come later, and replace this one.
 */
function addVersion({ clock }: World, versions: Versions, record: DocumentRecord): void {
  const { records } = versions;
  versions.records = records.filter(({ life }) => life.endedAt === undefined);
  if (versions.records.some(isInDoubt)) record.life.endBegunAt = clock();
  if (record.words.length > 0) for (const { life } of versions.records) life.endBegunAt ??= clock();
  versions.records.push(record);
}

/** Notes that a document is processed, and that it has replaced the earlier ones whose imports were acknowledged. */
export function noteProcessed({ clock }: World, record: DocumentRecord): void {
  record.searchableAt = clock();
  const { versions } = record;
  if (versions === undefined) return;
  versions.foundSince ??= clock();
  for (const other of versions.records.slice(0, versions.records.indexOf(record)))
    if (other.life.madeAt !== undefined) other.life.endedAt ??= clock();
}

/** Notes a document before its import is requested. */
export function addDocument(
  world: World,
  knowledgeBase: KnowledgeBaseRecord,
  planned: PlannedDocument,
  versions?: Versions,
): DocumentRecord {
  const record: DocumentRecord = { ...planned, knowledgeBase, versions, life: { begunAt: world.clock() } };
  if (versions !== undefined) addVersion(world, versions, record);
  knowledgeBase.documents.push(record);
  for (const word of planned.words) world.byWord.set(word, record);
  return record;
}

/** A document ends with its knowledge base. */
export const mustBeListed = ({ life, knowledgeBase }: DocumentRecord, span: Span): boolean =>
  mustBeSeen(life, span) && mustBeSeen(knowledgeBase.life, span);

export const mayBeListed = ({ life, knowledgeBase }: DocumentRecord, span: Span): boolean =>
  mayBeSeen(life, span) && mayBeSeen(knowledgeBase.life, span);

/** `processed` promises that every later query finds the document. */
export const mustBeFound = (record: DocumentRecord, span: Span): boolean =>
  record.searchableAt !== undefined && record.searchableAt < span.sentAt && mustBeListed(record, span);
