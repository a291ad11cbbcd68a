/** The operations on knowledge bases. */
import { v7 as uuidv7 } from 'uuid';
import { withinBounds } from '../database/connection/bounded-statements.ts';
import { databaseNow } from '../database/connection/clock.ts';
import { announceDeletion } from '../database/rows/deletion-lock.ts';
import { COMPARISON_MAX_MS } from '../database/rows/documents/document-filter.ts';
import { countVisible } from '../database/rows/documents/visible-counts.ts';
import {
  findKnowledgeBaseRow,
  type KnowledgeBaseRow,
  listKnowledgeBaseRows,
  lockForDeletion,
  readKnowledgeBase,
  requireKnowledgeBase,
  toKnowledgeBase,
} from '../database/rows/knowledge-bases.ts';
import { requireKnowledgeBaseAllowance } from '../database/rows/limits/account-limits.ts';
import { probeShards } from '../database/rows/limits/storage-limit.ts';
import { recordKnowledgeBaseDeletion } from '../database/rows/webhooks/webhook-events.ts';
import { serviceUnavailable } from '../terms/errors.ts';
import { parseKnowledgeBaseId } from '../terms/ids.ts';
import type { HandlerContext, Handlers } from './handler-types.ts';
import { byCreation, parseCursor, toPage } from './pagination.ts';

/** Whether documents without vectors are counted: where a model makes them. */
const countsVectors = async ({ wantedGeneration }: HandlerContext): Promise<boolean> =>
  (await wantedGeneration()) !== undefined;

/** The knowledge bases with the counts that the caller sees. @throws SERVICE_UNAVAILABLE when these take too long */
const asSeen = (
  rows: KnowledgeBaseRow[],
  { database, restriction, signal }: HandlerContext,
): Promise<KnowledgeBaseRow[]> =>
  withinBounds({ timeMaxMs: COMPARISON_MAX_MS, signal }, () => countVisible(database, rows, restriction));

/** The name of this list in its cursors. */
const LIST = 'knowledge-bases';

export const knowledgeBaseHandlers = {
  async createKnowledgeBase({ name, description = '' }, context) {
    const { database, accountId, config, diskWatermark, transact } = context;
    await diskWatermark.require(0);
    // Without all servers the knowledge bases cannot be counted.
    if (!(await probeShards(database, accountId))) throw serviceUnavailable();
    const knowledgeBaseId = uuidv7();
    const counts = { countsVectors: await countsVectors(context) };
    const data = await transact(async (transaction) => {
      await requireKnowledgeBaseAllowance(transaction, { accountId, defaults: config });
      const owner = { knowledge_base_id: knowledgeBaseId, account_id: accountId };
      await transaction
        .insertInto('knowledge_bases')
        .values({ ...owner, name, description, created_at: databaseNow, updated_at: databaseNow })
        .execute();
      await transaction.insertInto('knowledge_base_statistics').values(owner).execute();
      return await readKnowledgeBase(transaction, { accountId, knowledgeBaseId, ...counts });
    });
    return { data };
  },

  async getKnowledgeBase(input, context) {
    const { database, accountId, allowedKnowledgeBases } = context;
    const knowledgeBaseId = parseKnowledgeBaseId(input.knowledgeBaseId, allowedKnowledgeBases);
    const owned = { accountId, knowledgeBaseId, countsVectors: await countsVectors(context) };
    const row = await findKnowledgeBaseRow(database, owned);
    const [counted = row] = await asSeen([row], context);
    return { data: toKnowledgeBase(counted) };
  },

  async updateKnowledgeBase({ name, description, ...input }, context) {
    const { database, accountId, allowedKnowledgeBases, diskWatermark } = context;
    const counts = { countsVectors: await countsVectors(context) };
    const knowledgeBaseId = parseKnowledgeBaseId(input.knowledgeBaseId, allowedKnowledgeBases);
    await diskWatermark.require(0);
    const change = { ...(name !== undefined && { name }), ...(description !== undefined && { description }) };
    const data = await database.transaction().execute(async (transaction) => {
      if (Object.keys(change).length > 0)
        await transaction
          .updateTable('knowledge_bases')
          .set({ ...change, updated_at: databaseNow })
          .where('knowledge_base_id', '=', knowledgeBaseId)
          .where('account_id', '=', accountId)
          .where('deleted_at', 'is', null)
          .execute();
      return await readKnowledgeBase(transaction, { accountId, knowledgeBaseId, ...counts });
    });
    return { data };
  },

  async deleteKnowledgeBase(input, { database, accountId, allowedKnowledgeBases, jobs }) {
    const knowledgeBaseId = parseKnowledgeBaseId(input.knowledgeBaseId, allowedKnowledgeBases);
    await database.transaction().execute(async (transaction) => {
      await requireKnowledgeBase(transaction, { accountId, knowledgeBaseId });
      await announceDeletion(transaction, knowledgeBaseId);
      await lockForDeletion(transaction, { accountId, knowledgeBaseId });
      await transaction
        .updateTable('knowledge_bases')
        .set({ deleted_at: databaseNow })
        .where('knowledge_base_id', '=', knowledgeBaseId)
        .execute();
      await recordKnowledgeBaseDeletion(transaction, { accountId, knowledgeBaseId });
      await jobs.enqueuePurge(transaction, knowledgeBaseId);
    });
    return { data: { id: knowledgeBaseId } };
  },

  async listKnowledgeBases({ limit = 1000, cursor }, context) {
    const { database, accountId, allowedKnowledgeBases } = context;
    const listed = { accountId, allowedKnowledgeBases, countsVectors: await countsVectors(context) };
    const after = parseCursor(LIST, cursor, byCreation);
    const rows = await listKnowledgeBaseRows(database, { ...listed, after, limit: limit + 1 });
    const { page, pagination } = toPage(rows, {
      list: LIST,
      limit,
      positionOf: (row) => byCreation.write({ createdAt: row.created_at, id: row.knowledge_base_id }),
    });
    const counted = await asSeen(page, context);
    return { data: counted.map(toKnowledgeBase), pagination };
  },
} satisfies Partial<Handlers>;
