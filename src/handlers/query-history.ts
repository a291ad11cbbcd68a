/** The operations on the history of queries. */
import { beginHistory, endHistory, readHistory } from '../database/rows/history/kept-queries.ts';
import type { Handlers } from './handler-types.ts';

export const queryHistoryHandlers = {
  async listQueries({ limit = 1000 }, { database, accountId, queryHistory }) {
    await queryHistory.store(); // those that this server has just answered too
    return { data: await readHistory(database, accountId, limit) };
  },

  async setQueryHistory({ enabled }, { database, accountId, queryHistory, diskWatermark }) {
    if (!enabled) {
      await database.transaction().execute((transaction) => endHistory(transaction, accountId));
      return { data: { keptSince: null } };
    }
    await diskWatermark.require(0);
    const keptSince = await beginHistory(database, accountId);
    queryHistory.noteFromNow(accountId);
    return { data: { keptSince: keptSince.toISOString() } };
  },
} satisfies Partial<Handlers>;
