/** The operation that says which attributes documents have. */
import { withinBounds } from '../database/connection/bounded-statements.ts';
import { summariseAttributes } from '../database/rows/documents/attribute-counts.ts';
import { requireKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import { parseKnowledgeBaseId } from '../terms/ids.ts';
import type { Handlers } from './handler-types.ts';

/** Ten thousand documents with the largest attributes may take longer than this; then the answer is 503. */
const COUNT_TIME_MAX_MS = 5_000;

export const attributeHandlers = {
  async listAttributes(input, { database, accountId, allowedKnowledgeBases, restriction, signal }) {
    const owned = {
      accountId,
      knowledgeBaseId: parseKnowledgeBaseId(input.knowledgeBaseId, allowedKnowledgeBases),
    };
    await requireKnowledgeBase(database, owned);
    const bounds = { timeMaxMs: COUNT_TIME_MAX_MS, signal };
    return { data: await withinBounds(bounds, () => summariseAttributes(database, owned, restriction)) };
  },
} satisfies Partial<Handlers>;
