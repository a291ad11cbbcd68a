/**
 * Recognises whether a store holds the files of a database. A server with a DATA_DIR or bucket of its own has none of
 * the files that the other servers of its database have stored.
 *
 * A store that was recognised once has a mark, so it stays recognised when its files are lost later. Databases may
 * share a bucket: there is one mark for each.
 */
import { sql } from 'kysely';
import type { Queryable } from '../database/connection/database.ts';
import { findFirstAccountId } from '../database/rows/accounts.ts';
import type { FileStore } from './file-store.ts';

/** Enough to tell a store without a database's files from one that has lost some of them. */
const SAMPLE_SIZE = 16;
/** A store with a smaller share of the sample is not the database's. */
const FOUND_SHARE_MIN = 1 / 4;

/** Of `sampled` files of the database, the store lacks `missing`. Both are 0 for a store with the mark. */
export type StoreSample = { sampled: number; missing: number };

export const isForeign = ({ sampled, missing }: StoreSample): boolean =>
  sampled - missing < sampled * FOUND_SHARE_MIN;

/** No object of a file has such a name, so nothing lists or removes a mark. */
const markOf = (accountId: string): string => `databases/${accountId}`;

/** Selects the names of the objects of all files whose knowledge base is not deleted. */
const storedObjects = (database: Queryable) =>
  database
    .selectFrom('files')
    .innerJoin('knowledge_bases', 'knowledge_bases.knowledge_base_id', 'files.knowledge_base_id')
    .select('object_name as objectName')
    .where('deleted_at', 'is', null)
    .where('object_name', 'is not', null)
    .$narrowType<{ objectName: string }>();

/** Filters the objects that the store lacks, although the database still refers to them. */
async function findMissing(database: Queryable, files: Pick<FileStore, 'exists'>, names: string[]) {
  const exist = await Promise.all(names.map((name) => files.exists(name)));
  const missing = names.filter((_, index) => !exist[index]);
  if (missing.length === 0) return [];
  // A file may have been deleted meanwhile: its row first, then its object.
  return await storedObjects(database).where('object_name', 'in', missing).execute();
}

/**
 * Looks up some of the database's files in a store without the mark; changes nothing. Of a million files it takes 1 s,
 * most of it to choose at random, which the mark spares later starts.
 * @throws the store's error
 */
export async function sampleStore(
  database: Queryable,
  files: Pick<FileStore, 'exists'>,
): Promise<StoreSample> {
  const accountId = await findFirstAccountId(database);
  if (accountId !== undefined && (await files.exists(markOf(accountId)))) return { sampled: 0, missing: 0 };
  const sample = await storedObjects(database).orderBy(sql`random()`).limit(SAMPLE_SIZE).execute();
  const names = sample.map(({ objectName }) => objectName);
  const missing = await findMissing(database, files, names);
  return { sampled: names.length, missing: missing.length };
}

/** Marks a store as the database's own. Does nothing before the first start on the database. */
export async function markStore(database: Queryable, files: Pick<FileStore, 'put'>): Promise<void> {
  const accountId = await findFirstAccountId(database);
  if (accountId === undefined) return;
  const text = `The files of the database whose first account is ${accountId} are stored here.\n`;
  await files.put(markOf(accountId), Buffer.from(text));
}
