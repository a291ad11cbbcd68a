/** From a key, or what stands for one, to the account that owns the request, and to what its key may do. */

import { inBatches } from '../../concurrency/batches.ts';
import { createBoundedCache } from '../../concurrency/bounded-cache.ts';
import type { Database } from '../../database/connection/database.ts';
import { findLiveApiKeys, type KeyOwner, recordKeyUse } from '../../database/rows/api-keys.ts';
import {
  bothFilters,
  type DocumentFilter,
  toDocumentFilter,
} from '../../database/rows/documents/document-filter.ts';
import { findEndedSessions } from '../../database/rows/ended-sessions.ts';
import type { KeyScope } from '../../database/schema/tables.ts';
import type { AccessToken, AccessTokens } from '../../terms/access-token.ts';
import { isApiKey, isSameSecret, readApiKey, type StoredKey } from '../../terms/api-key.ts';
import { keyNotPermitted, unauthorized } from '../../terms/errors.ts';
import type { AllowedKnowledgeBases } from '../../terms/ids.ts';
import type { ConsoleSession, ConsoleSessions } from './console-session.ts';

/** A revoked key stops working on every server within this time. Within it, each key costs at most one query. */
const KEY_CACHE_MS = 1_000;
/** Far more keys than are in use within a second. An attacker's made-up keys evict each other. */
const KEY_CACHE_SIZE = 10_000;

/**
 * The account of a request, its key, and what that key may do in which knowledge bases. `restriction`: which documents
 * exist for it; undefined: all of those.
 */
export type Caller = {
  accountId: string;
  keyId: string;
  scope: KeyScope;
  allowedKnowledgeBases: AllowedKnowledgeBases;
  restriction: DocumentFilter | undefined;
  /** Undefined: the caller has the key itself, or a session of the console. */
  token?: AccessToken;
};

/**
 * What an operation demands of a key, as `x-required-scope` in the spec. `account` is `write` without bounds: the
 * operation concerns more than single knowledge bases.
 */
export type RequiredScope = KeyScope | 'account';

/**
 * What an operation does for a key with a filter, as `x-keys-with-filter` in the spec: it answers as if there were no
 * other documents, or refuses. One that demands more than `search` always refuses.
 */
export type FilterHeed = 'visible' | 'refused';

/** What an operation demands of a key. */
export type Demand = { required: RequiredScope; heed: FilterHeed };

/** @throws KEY_NOT_PERMITTED unless the caller's key may call an operation that demands this */
export function requireScope(
  { scope, allowedKnowledgeBases, restriction }: Caller,
  { required, heed }: Demand,
): void {
  if (restriction !== undefined && heed === 'refused')
    throw keyNotPermitted('it carries a filter, so that it only reads documents');
  if (required !== 'search' && scope !== 'write') throw keyNotPermitted(`its scope is ${scope}, not write`);
  if (required === 'account' && allowedKnowledgeBases !== undefined)
    throw keyNotPermitted('it is bound to single knowledge bases of the account');
}

/**
 * Looks keys up by their ids, first in a cache, then in `database` with one query for all waiting ids. Unknown ids are
 * cached too.
 */
function createFindOwner(database: Database): (keyId: string) => Promise<KeyOwner | undefined> {
  const cache = createBoundedCache<{ owner: KeyOwner | undefined; endsAtMs: number }>(KEY_CACHE_SIZE);
  const query = inBatches(async (keyIds) => {
    const endsAtMs = performance.now() + KEY_CACHE_MS; // a late result is as old as its query
    const owners = await findLiveApiKeys(database, keyIds);
    for (const keyId of keyIds) cache.set(keyId, { owner: owners.get(keyId), endsAtMs });
    return (keyId) => owners.get(keyId);
  });
  return async (keyId) => {
    const cached = cache.get(keyId);
    return cached && cached.endsAtMs > performance.now() ? cached.owner : await query(keyId);
  };
}

const toCaller = (keyId: string, { accountId, scope, knowledgeBaseIds, restriction }: KeyOwner): Caller => ({
  accountId,
  keyId,
  scope,
  allowedKnowledgeBases: knowledgeBaseIds ? new Set(knowledgeBaseIds) : undefined,
  restriction,
});

/** The caller of a token, who sees no more than its key, and only reads. */
const toTokenCaller = (token: AccessToken, { restriction, ...caller }: Caller): Caller => ({
  ...caller,
  scope: 'search',
  restriction: bothFilters(restriction, token.filter && toDocumentFilter(token.filter)),
  token,
});

/** What stands for keys: in the console's cookie, and signed by `createToken`. */
type Stands = { sessions?: Pick<ConsoleSessions, 'read'>; tokens?: Pick<AccessTokens, 'read'> };

/** What was accepted lately, so that its account is known without waiting. */
type Accepted = ReturnType<typeof createAccepted>;

const createAccepted = () => ({
  /** The keys whose last check succeeded. To hash a key again would take longer than to compare it. */
  keys: createBoundedCache<StoredKey & { accountId: string }>(KEY_CACHE_SIZE),
  /** The accounts of sessions of the console, by what stands for their keys. It is checked again each time. */
  sessions: createBoundedCache<string>(KEY_CACHE_SIZE),
  /** The accounts of keys that have signed tokens. */
  tokens: createBoundedCache<string>(KEY_CACHE_SIZE),
});

/** The account of a key, or of what stands for one, that was accepted lately; undefined for all others. */
function findAccepted(accepted: Accepted, tokens: Stands['tokens'], key: string): string | undefined {
  const known = accepted.keys.get(key)?.accountId ?? accepted.sessions.get(key);
  if (known !== undefined) return known;
  const token = tokens?.read(key);
  return token && accepted.tokens.get(token.keyId);
}

/** Records the first use of a key on a day. The request does not wait for that, and does not fail with it. */
function noteUse(database: Database, keyId: string, owner: KeyOwner): void {
  if (owner.isUsedToday) return;
  owner.isUsedToday = true; // for as long as it is cached; if the database has not stored it, the next look-up tells
  recordKeyUse(database, keyId).catch(() => {});
}

/**
 * Whether a session of the console has ended. Read each time, so that it ends on all servers; people send few requests.
 */
const createHasEnded = (database: Database): ((sessionId: string) => Promise<boolean>) =>
  inBatches(async (sessionIds) => {
    const ended = await findEndedSessions(database, sessionIds);
    return (sessionId) => ended.has(sessionId);
  });

/**
 * Creates the function that finds the caller of a key, or of what stands for one. It notes in `accepted` what is valid.
 */
function createFindByKey(
  database: Database,
  { findOwner, accepted }: { findOwner: ReturnType<typeof createFindOwner>; accepted: Accepted },
  { sessions, tokens }: Stands,
): (key: string) => Promise<Caller> {
  const hasEnded = createHasEnded(database);
  const toUsed = (keyId: string, owner: KeyOwner): Caller => {
    noteUse(database, keyId, owner);
    return toCaller(keyId, owner);
  };
  const ofSession = async (session: string, { keyId, sessionId }: ConsoleSession): Promise<Caller> => {
    const [owner, isOver] = await Promise.all([findOwner(keyId), hasEnded(sessionId)]);
    if (owner === undefined || isOver) throw unauthorized();
    accepted.sessions.set(session, owner.accountId);
    return toUsed(keyId, owner);
  };
  const ofToken = async (token: AccessToken): Promise<Caller> => {
    const owner = await findOwner(token.keyId);
    if (owner === undefined) throw unauthorized();
    accepted.tokens.set(token.keyId, owner.accountId);
    return toTokenCaller(token, toUsed(token.keyId, owner));
  };
  return async (key) => {
    const token = tokens?.read(key);
    if (token !== undefined) return await ofToken(token);
    const session = sessions?.read(key);
    if (session !== undefined) return await ofSession(key, session);
    const stored = accepted.keys.get(key) ?? readApiKey(key);
    if (stored === undefined) throw unauthorized();
    const owner = await findOwner(stored.keyId);
    if (owner === undefined || !isSameSecret(owner.secretHash, stored.secretHash)) {
      accepted.keys.delete(key);
      throw unauthorized();
    }
    if (!('accountId' in stored)) accepted.keys.set(key, { ...stored, accountId: owner.accountId });
    return toUsed(stored.keyId, owner);
  };
}

/** Creates the functions that check API keys against `database`. */
export function createAuthenticate(database: Database, stands: Stands = {}) {
  const { sessions, tokens } = stands;
  const findOwner = createFindOwner(database);
  const accepted = createAccepted();
  const findByKey = createFindByKey(database, { findOwner, accepted }, stands);
  const accountOf = (key: string) => findAccepted(accepted, tokens, key);
  return {
    /**
     * The caller of a request by its key.
     * @throws UNAUTHORIZED, in one wording, for a key that is missing, malformed, unknown, revoked or expired
     */
    authenticate: async (key = ''): Promise<Caller> => await findByKey(key),
    /**
     * The caller behind an address that this key has signed; undefined if the key is revoked or expired.
     */
    async findCaller(keyId: string): Promise<Caller | undefined> {
      const owner = await findOwner(keyId);
      return owner && toCaller(keyId, owner);
    },
    /**
     * The account of a key whose last check succeeded, without waiting; `''` for all other keys, which share the
     * permits of one account.
     */
    ownerOf: (key: string): string => accountOf(key) ?? '',
    /**
     * Looks up a key that `ownerOf` does not know yet. Afterwards `ownerOf` returns its account.
     * @returns whether the key is valid, false also while the database is unreachable; undefined where no look-up is
     * needed: the key is known or malformed
     */
    lookUpUnknownKey(key: string): Promise<boolean> | undefined {
      if (accountOf(key) !== undefined) return undefined;
      if (!isApiKey(key) && sessions?.read(key) === undefined && tokens?.read(key) === undefined)
        return undefined;
      return findByKey(key).then(
        () => true,
        () => false, // the request waits with those of unknown keys; its own check then throws the reason
      );
    },
  };
}
