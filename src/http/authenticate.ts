/** From the x-api-key header to the account that owns the request. */
import { LRUCache } from 'lru-cache';
import { isApiKey, isSameSecret, readApiKey } from '../api-key.ts';
import { inBatches } from '../concurrency/batches.ts';
import { findLiveApiKeys, type KeyOwner } from '../database/api-keys.ts';
import type { Database } from '../database/database.ts';
import { unauthorized } from '../errors.ts';

/** A revoked key stops working on every server within this time of the revocation; in it, a key costs one query. */
const KEY_CACHE_MS = 1_000;
/** Far more keys than are in use within a second; an attacker's made-up ones push each other out. */
const KEY_CACHE_SIZE = 10_000;

export type Caller = { accountId: string; keyId: string };

/** Looks keys up by their ids, in the cache or all at once in `database`. A made-up key is answered from it as well. */
function createFindOwner(database: Database): (keyId: string) => Promise<KeyOwner | undefined> {
  const cache = new LRUCache<string, { owner: KeyOwner | undefined }>({
    max: KEY_CACHE_SIZE,
    ttl: KEY_CACHE_MS,
  });
  const ask = inBatches(async (keyIds) => {
    const askedAt = performance.now();
    const owners = await findLiveApiKeys(database, keyIds);
    // What has come late is as old as the question; 0 would mean without end.
    const ttl = Math.max(1, KEY_CACHE_MS - (performance.now() - askedAt));
    for (const keyId of keyIds) cache.set(keyId, { owner: owners.get(keyId) }, { ttl });
    return (keyId) => owners.get(keyId);
  });
  return async (keyId) => {
    const cached = cache.get(keyId);
    return cached ? cached.owner : await ask(keyId);
  };
}

/** The check of keys against `database`. */
export function createAuthenticate(database: Database) {
  const findOwner = createFindOwner(database);
  const accounts = new LRUCache<string, string>({ max: KEY_CACHE_SIZE });
  const authenticate = async (key = ''): Promise<Caller> => {
    const stored = readApiKey(key);
    if (stored === undefined) throw unauthorized();
    const owner = await findOwner(stored.keyId);
    if (owner === undefined || !isSameSecret(owner.secretHash, stored.secretHash)) {
      accounts.delete(key);
      throw unauthorized();
    }
    accounts.set(key, owner.accountId);
    return { accountId: owner.accountId, keyId: stored.keyId };
  };
  return {
    /**
     * The caller of a request by its key.
     * @throws UNAUTHORIZED, in one wording, for a key that is missing, malformed, unknown, revoked or expired
     */
    authenticate,
    /** The account of a key that was right the last time, at once; '' for all others, which share what one may have. */
    ownerOf: (key: string): string => accounts.get(key) ?? '',
    /**
     * Looks up a key that may be right, and is not known: afterwards `ownerOf` knows its account, unless it is wrong or
     * the database is away, which gives false. Undefined: there is nothing to look up.
     */
    learn(key: string): Promise<boolean> | undefined {
      if (accounts.has(key) || !isApiKey(key)) return undefined;
      return authenticate(key).then(
        () => true,
        () => false, // its turn comes among those of unknown keys, and the check there says why
      );
    },
  };
}
