/** The operations on knowledge bases. */
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { KnowledgeBase } from '../../generated/types.gen.ts';
import { requireKnowledgeBaseAllowance } from '../database/accounts.ts';
import { databaseNow } from '../database/clock.ts';
import { announceDeletion } from '../database/deletion-lock.ts';
import { requireKnowledgeBase } from '../database/knowledge-bases.ts';
import { knowledgeBaseNotFound } from '../errors.ts';
import { parseKnowledgeBaseId } from '../ids.ts';
import type { Handlers } from './handler-types.ts';
import { byCreation, parseCursor, toPage } from './pagination.ts';

/** The name of this list in its cursors. */
const LIST = 'knowledge-bases';

type KnowledgeBaseRow = {
  knowledge_base_id: string;
  name: string;
  description: string;
  created_at: Date;
  updated_at: Date;
};

const toKnowledgeBase = (row: KnowledgeBaseRow): KnowledgeBase => ({
  id: row.knowledge_base_id,
  name: row.name,
  description: row.description,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

export const knowledgeBaseHandlers = {
  async createKnowledgeBase({ name, description = '' }, { accountId, config, diskWatermark, transact }) {
    await diskWatermark.require(0);
    const knowledge_base_id = uuidv7();
    const data = await transact(async (transaction) => {
      await requireKnowledgeBaseAllowance(transaction, { accountId, defaults: config });
      const owner = { knowledge_base_id, account_id: accountId };
      const row = await transaction
        .insertInto('knowledge_bases')
        .values({ ...owner, name, description, created_at: databaseNow, updated_at: databaseNow })
        .returning(['knowledge_base_id', 'name', 'description', 'created_at', 'updated_at'])
        .executeTakeFirstOrThrow();
      await transaction.insertInto('knowledge_base_statistics').values(owner).execute();
      return toKnowledgeBase(row);
    });
    return { data };
  },

  async deleteKnowledgeBase(input, { database, accountId, jobs }) {
    const knowledgeBaseId = parseKnowledgeBaseId(input.knowledgeBaseId);
    await database.transaction().execute(async (transaction) => {
      await requireKnowledgeBase(transaction, { accountId, knowledgeBaseId });
      await announceDeletion(transaction, knowledgeBaseId);
      const marked = await transaction
        .updateTable('knowledge_bases')
        .set({ deleted_at: databaseNow })
        .where('knowledge_base_id', '=', knowledgeBaseId)
        .where('account_id', '=', accountId)
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
      if (marked.numUpdatedRows === 0n) throw knowledgeBaseNotFound();
      await jobs.enqueuePurge(transaction, knowledgeBaseId);
    });
    return { data: { id: knowledgeBaseId } };
  },

  async listKnowledgeBases({ limit = 1000, cursor }, { database, accountId }) {
    const after = parseCursor(LIST, cursor, byCreation);
    const rows = await database
      .selectFrom('knowledge_bases')
      .select(['knowledge_base_id', 'name', 'description', 'created_at', 'updated_at'])
      .where('account_id', '=', accountId)
      .where('deleted_at', 'is', null)
      .$if(after !== undefined, (rest) =>
        rest.where(sql<boolean>`(created_at, knowledge_base_id) < (${after?.createdAt}, ${after?.id}::uuid)`),
      )
      .orderBy('created_at', 'desc')
      .orderBy('knowledge_base_id', 'desc')
      .limit(limit + 1)
      .execute();
    const { page, pagination } = toPage(rows, {
      list: LIST,
      limit,
      positionOf: (row) => byCreation.write({ createdAt: row.created_at, id: row.knowledge_base_id }),
    });
    return { data: page.map(toKnowledgeBase), pagination };
  },
} satisfies Partial<Handlers>;
