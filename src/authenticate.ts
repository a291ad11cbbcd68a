/** From the x-api-key header to the account that owns the request. */
import { LRUCache } from 'lru-cache';
import { isSameSecret, readApiKey } from './api-key.ts';
import { unauthorized } from './errors.ts';
import { findLiveApiKey } from './storage/api-keys.ts';
import type { Database } from './storage/database.ts';

/** A revoked key stops working on every server within this time of the revocation; in it, a key costs one query. */
const KEY_CACHE_MS = 1_000;
/** Far more keys than are in use within a second; an attacker's made-up ones push each other out. */
const KEY_CACHE_SIZE = 10_000;

export type Caller = { accountId: string; keyId: string };

/** The check of keys against `database`. */
export function createAuthenticate(database: Database) {
  const cache = new LRUCache<string, { owner: Awaited<ReturnType<typeof findLiveApiKey>> }>({
    max: KEY_CACHE_SIZE,
    ttl: KEY_CACHE_MS,
    fetchMethod: async (keyId, _stale, { options }) => {
      const askedAt = performance.now();
      const owner = await findLiveApiKey(database, keyId);
      // What has come late is as old as the question; 0 would mean without end.
      options.ttl = Math.max(1, KEY_CACHE_MS - (performance.now() - askedAt));
      return { owner };
    },
  });
  const accounts = new LRUCache<string, string>({ max: KEY_CACHE_SIZE });
  const authenticate = async (key = ''): Promise<Caller> => {
    const stored = readApiKey(key);
    if (stored === undefined) throw unauthorized();
    const { owner } = await cache.forceFetch(stored.keyId);
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
    /**
     * The account of a key that was right the last time, at once; '' for all others. Those share what one account may
     * have, since keys that somebody makes up cost a look into the database each.
     */
    ownerOf: (key: string): string => accounts.get(key) ?? '',
  };
}
