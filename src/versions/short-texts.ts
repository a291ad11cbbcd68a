/**
 * Imports short texts on the main thread: the messages to an analysis thread and back take longer than their analysis.
 * Texts of one knowledge base that wait at the same time share a batch (see shared-batches.ts).
 */
import type { Document } from '../../generated/types.gen.ts';
import type { Stem } from '../analysis/lexemes.ts';
import type { Database, Queryable } from '../database/connection/database.ts';
import type { NewText } from '../database/rows/documents/new-documents.ts';
import { commitTogether, type KeyedRequest, type Transact } from '../database/rows/kept-answers.ts';
import type { DefaultLimits } from '../database/rows/limits/account-limits.ts';
import { expectStorage } from '../database/rows/limits/storage-limit.ts';
import { analyseTexts, type Text } from '../indexing/analyse-document.ts';
import { readExpectedLanguages } from '../indexing/expected-languages.ts';
import type { VectorsIn } from '../meaning/passage-vectors.ts';
import { publishTexts } from './publish-texts.ts';
import { createSharedBatches, type ImportOptions, type SharedBatches } from './shared-batches.ts';

/**
 * The request to import a text. `transact` runs the transaction of this request alone. `keyed`: its identity, if it has
 * an Idempotency-Key.
 */
export type ShortText = Text &
  NewText & {
    knowledgeBaseId: string;
    transact: Transact;
    keyed: KeyedRequest | undefined;
  };

export type ShortTexts = Omit<SharedBatches<never, never>, 'add'> & {
  /**
   * Analyses and stores a short text that is not blank.
   * @throws KNOWLEDGE_BASE_NOT_FOUND, STORAGE_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE and IDEMPOTENCY_KEY_REUSED
   */
  importShortText(text: ShortText, options: ImportOptions): Promise<Document>;
};

/**
 * UTF-16 units of a short text with its title: 300 words. Their analysis takes a millisecond of the event loop. The
 * slowest texts take 7 ms: letters of 14 scripts in turn, and the ligature U+FDFA repeated. The first text of such a
 * kind in a process takes up to 50 ms, before V8 has compiled the code and the table of characters is filled.
 */
const SHORT_MAX_LENGTH = 2_000;
/** Whether a text is imported by `importShortText`. */
export const isShort = ({ title, content }: Text): boolean =>
  title.length + content.length <= SHORT_MAX_LENGTH;

/** `discard` removes the objects of replaced files after the commit. */
type Storing = {
  database: Database;
  stem: Stem;
  vectorsIn: VectorsIn;
  defaults: DefaultLimits;
  discard(objectNames: string[]): Promise<void>;
};

const totalBytes = (texts: ShortText[]): number => texts.reduce((sum, { bytes }) => sum + bytes, 0);

/** Analyses and stores texts of one knowledge base, all or none. */
async function importTogether(
  texts: [ShortText, ...ShortText[]],
  accountId: string,
  { database, stem, vectorsIn, defaults, discard }: Storing,
): Promise<Document[]> {
  const [{ knowledgeBaseId, transact }] = texts;
  const owned = { accountId, knowledgeBaseId };
  const fits = expectStorage(database, { accountId, defaults }, totalBytes(texts));
  fits.catch(() => {}); // a missing knowledge base is reported before a limit
  const expected = await readExpectedLanguages(database, owned);
  await fits;
  const analysed = await analyseTexts(texts, { expected, stem, vectorsIn });
  let unreferenced: string[] = [];
  const publish = async (transaction: Queryable) => {
    const published = await publishTexts(transaction, { ...owned, defaults }, { texts, analysed });
    unreferenced = published.unreferenced;
    return published.documents;
  };
  const keys = texts.map(({ keyed }) => keyed);
  const documents =
    texts.length > 1
      ? await commitTogether(database, keys, publish)
      : [await transact(async (transaction) => (await publish(transaction))[0] as Document)]; // one for each text
  await discard(unreferenced);
  return documents;
}

/** Creates the import of short texts. `connections`: the size of the database's pool. */
export function createShortTexts({ connections, ...storing }: Storing & { connections: number }): ShortTexts {
  const { add, ...others } = createSharedBatches<ShortText, Document>(
    (texts, accountId) => importTogether(texts, accountId, storing),
    { connections },
  );
  return { importShortText: add, ...others };
}
