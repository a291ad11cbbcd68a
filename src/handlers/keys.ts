/** The operations on keys, and on tokens that stand for them. */
import { sql } from 'kysely';
import type { Filter } from '../../generated/types.gen.ts';
import { readDatabaseTime } from '../database/connection/clock.ts';
import { BOOTSTRAP_KEY_NAME, insertApiKey } from '../database/rows/api-keys.ts';
import { toDocumentFilter } from '../database/rows/documents/document-filter.ts';
import { requireKeyAllowance, revokeOwnKey, selectKeys, toKey } from '../database/rows/keys/account-keys.ts';
import { requireKnowledgeBases } from '../database/rows/knowledge-bases.ts';
import { createAccessTokens } from '../terms/access-token.ts';
import { generateApiKey, readApiKey } from '../terms/api-key.ts';
import { keyNotFound, validationFailed } from '../terms/errors.ts';
import { parseKnowledgeBaseIds } from '../terms/ids.ts';
import type { Handlers } from './handler-types.ts';
import { byKeyCreation, parseCursor, toPage } from './pagination.ts';

/** Bytes of a token's filter in JSON: a server takes headers of 16 KiB, and base64 makes a third more of them. */
const TOKEN_FILTER_MAX_BYTES = 4_096;

const DEFAULT_SECONDS = 3_600;

/** The filter that both match; undefined: there is none. */
const both = (left: Filter | undefined, right: Filter | undefined): Filter | undefined =>
  left && right ? { type: 'and', filters: [left, right] } : (left ?? right);

/** @throws INPUT_VALIDATION_FAILED unless it is a filter, and fits into a token */
function requireTokenFilter(filter: Filter): void {
  toDocumentFilter(filter);
  const bytes = Buffer.byteLength(JSON.stringify(filter));
  if (bytes <= TOKEN_FILTER_MAX_BYTES) return;
  const message =
    `must have at most ${TOKEN_FILTER_MAX_BYTES} bytes in JSON, with that of the token that asks; ` +
    `it has ${bytes}`;
  throw validationFailed([], { filter: [message] });
}

/** The name of this list in its cursors. */
const LIST = 'keys';

const DAY_MS = 86_400_000;

/** @throws INPUT_VALIDATION_FAILED unless a key can be like this */
function requirePossible({
  name,
  scope,
  filter,
}: {
  name: string;
  scope: string;
  filter?: Filter | undefined;
}): void {
  // The next start with another BOOTSTRAP_API_KEY revokes the keys of this name.
  if (name === BOOTSTRAP_KEY_NAME)
    throw validationFailed([], { name: ['is that of the key of the setting BOOTSTRAP_API_KEY'] });
  if (filter !== undefined && scope !== 'search')
    throw validationFailed([], { scope: ['must be search for a key with a filter'] });
  if (filter) toDocumentFilter(filter);
}

export const keyHandlers = {
  async createKey({ name = 'unnamed', filter, expiresInDays, ...input }, context) {
    const { database, accountId, allowedKnowledgeBases, diskWatermark } = context;
    const { scope = filter === undefined ? 'write' : 'search' } = input;
    requirePossible({ name, scope, filter });
    const knowledgeBaseIds =
      input.knowledgeBaseIds && parseKnowledgeBaseIds(input.knowledgeBaseIds, allowedKnowledgeBases);
    await diskWatermark.require(0);
    const key = generateApiKey();
    const id = readApiKey(key)?.keyId ?? '';
    const data = await database.transaction().execute(async (transaction) => {
      await requireKnowledgeBases(transaction, accountId, knowledgeBaseIds ?? []);
      await requireKeyAllowance(transaction, accountId);
      const now = await readDatabaseTime(transaction);
      const expiresAt = expiresInDays === undefined ? null : new Date(now.getTime() + expiresInDays * DAY_MS);
      await insertApiKey(transaction, key, { accountId, name, expiresAt, scope, knowledgeBaseIds, filter });
      const row = await selectKeys(transaction, accountId).where('id', '=', id).executeTakeFirstOrThrow();
      return { ...toKey(row), key };
    });
    return { data };
  },

  async listKeys({ limit = 1000, cursor }, { database, accountId }) {
    const after = parseCursor(LIST, cursor, byKeyCreation);
    const rows = await selectKeys(database, accountId)
      .$if(after !== undefined, (rest) =>
        rest.where(sql<boolean>`(created_at, id) < (${after?.createdAt}, ${after?.id})`),
      )
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit + 1)
      .execute();
    const { page, pagination } = toPage(rows, {
      list: LIST,
      limit,
      positionOf: ({ created_at, id }) => byKeyCreation.write({ createdAt: created_at, id }),
    });
    return { data: page.map(toKey), pagination };
  },

  async revokeKey({ keyId }, { database, accountId }) {
    if (!(await revokeOwnKey(database, { accountId, keyId }))) throw keyNotFound();
    return { data: { id: keyId } };
  },

  async createToken({ filter: given, expiresIn = DEFAULT_SECONDS }, context) {
    const { database, keyId, token: own, uploadSecret } = context;
    const filter = both(own?.filter, given);
    if (filter) requireTokenFilter(filter);
    // In whole seconds, as tokens have it.
    const now = await readDatabaseTime(database);
    const endsAt = (Math.ceil(now.getTime() / 1000) + expiresIn) * 1000;
    const expiresAt = new Date(Math.min(endsAt, own?.expiresAt.getTime() ?? endsAt));
    const token = createAccessTokens(uploadSecret).issue({ keyId, filter, expiresAt });
    return { data: { token, expiresAt: expiresAt.toISOString() } };
  },
} satisfies Partial<Handlers>;
