/** The operations on the account itself. */

import { readBalance, readUsage } from '../database/accounts.ts';
import type { Handlers } from './handler-types.ts';

export const accountHandlers = {
  async getUsage(_input, { database, accountId }) {
    return { data: await readUsage(database, accountId) };
  },

  async getBalance(_input, { database, accountId }) {
    return { data: { balance: await readBalance(database, accountId) } };
  },
} satisfies Partial<Handlers>;
