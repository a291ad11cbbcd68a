/** The operations on keys and tokens. key-callers.ts says what they may do. */
import type { Key } from '../../../../generated/types.gen.ts';
import { byKeyCreation } from '../../../../src/handlers/pagination.ts';
import { generateApiKey, readApiKey } from '../../../../src/terms/api-key.ts';
import { keyNotFound, validationFailed } from '../../../../src/terms/errors.ts';
import { mockTokens, tokenOf } from '../key-callers.ts';
import { requireKnowledgeBases, requireMemory } from '../state.ts';
import type { MemoryAnswers } from './answer-types.ts';
import { pageOf } from './pages.ts';

/** The name of this list in its cursors. */
const LIST = 'keys';
const DAY_MS = 86_400_000;

export const keyAnswers = {
  createKey({ name = 'unnamed', filter, expiresInDays, ...input }, { state }) {
    const { scope = filter === undefined ? 'write' : 'search' } = input;
    if (filter !== undefined && scope !== 'search')
      throw validationFailed([], { scope: ['must be search for a key with a filter'] });
    const ids = input.knowledgeBaseIds && requireKnowledgeBases(state, input.knowledgeBaseIds);
    requireMemory(state, name.length);
    const key = generateApiKey();
    const now = state.now();
    const created: Key = {
      id: readApiKey(key)?.keyId ?? '',
      name,
      scope,
      ...(ids && { knowledgeBaseIds: ids }),
      ...(filter && { filter }),
      createdAt: now.toISOString(),
      ...(expiresInDays !== undefined && {
        expiresAt: new Date(now.getTime() + expiresInDays * DAY_MS).toISOString(),
      }),
      status: 'valid',
    };
    state.keys.set(created.id, created);
    return { data: { ...created, key } };
  },

  listKeys(input, { state }) {
    const createdAt = (key: Key) => new Date(key.createdAt);
    const { page, pagination } = pageOf(LIST, [...state.keys.values()], {
      ...input,
      createdAt,
      format: byKeyCreation,
    });
    return { data: page, pagination };
  },

  revokeKey({ keyId }, { state }) {
    const key = state.keys.get(keyId);
    if (key === undefined) throw keyNotFound();
    const revokedAt = key.revokedAt ?? state.now().toISOString();
    state.keys.set(keyId, { ...key, revokedAt, status: 'revoked' });
    return { data: { id: keyId } };
  },

  createToken({ filter, expiresIn = 3_600 }, { caller }) {
    const expiresAt = new Date((Math.ceil(Date.now() / 1000) + expiresIn) * 1000);
    const token = mockTokens.issue(tokenOf(caller.keyId, { filter, expiresAt }));
    return { data: { token, expiresAt: expiresAt.toISOString() } };
  },
} satisfies Partial<MemoryAnswers>;
