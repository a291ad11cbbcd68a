/** The operations on the account itself. */

import { withinBounds } from '../database/connection/bounded-statements.ts';
import { readBalance } from '../database/rows/accounts.ts';
import { COMPARISON_MAX_MS } from '../database/rows/documents/document-filter.ts';
import { readLimits } from '../database/rows/limits/account-limits.ts';
import { readUsage, readVisibleUsage } from '../database/rows/usage.ts';
import type { Handlers } from './handler-types.ts';

export const accountHandlers = {
  async getUsage(_input, { database, accountId, allowedKnowledgeBases, restriction, config, signal }) {
    const [usage, { storageLimitBytes, knowledgeBaseLimit }] = await Promise.all([
      restriction
        ? withinBounds({ timeMaxMs: COMPARISON_MAX_MS, signal }, () =>
            readVisibleUsage(database, { accountId, allowedKnowledgeBases, restriction }),
          )
        : readUsage(database, { accountId, allowedKnowledgeBases }),
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
