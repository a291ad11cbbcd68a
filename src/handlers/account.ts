/** The operations on the account itself. */

import { readLimits, readUsage, readVisibleUsage } from '../database/rows/account-limits.ts';
import { readBalance } from '../database/rows/accounts.ts';
import type { Handlers } from './handler-types.ts';

export const accountHandlers = {
  async getUsage(_input, { database, accountId, reach, restriction, config }) {
    const [usage, { storageLimitBytes, knowledgeBaseLimit }] = await Promise.all([
      restriction
        ? readVisibleUsage(database, { accountId, reach, restriction })
        : readUsage(database, { accountId, reach }),
      readLimits(database, { accountId, defaults: config }),
    ]);
    const limits = {
      storage: storageLimitBytes,
      knowledgeBases: knowledgeBaseLimit,
      requestsPerMinute: config.rateLimitPerMinute || null,
    };
    return { data: { ...usage, limits } };
  },

  async getBalance(_input, { database, accountId, config }) {
    const balance = await readBalance(database, accountId);
    return { data: { balance, creditsPerQuery: config.creditsPerQuery } };
  },
} satisfies Partial<Handlers>;
