/** Starts servers with low limits beside a running service, for statuses that a client alone cannot cause. */
import type { Operator } from '../../../src/contract-check/planning/target.ts';
import { runCommand } from './command-line.ts';
import { startDatabaseProxy } from './service-database.ts';
import { type Settings, startSecondServer } from './service-process.ts';

/**
 * This server causes 402, 403, and 410 a second after the ticket. Its price is above an account's initial credits.
 * Its log is off, because it would complain when its database is cut off.
 */
const LIMITED: Settings = {
  KNOWLEDGE_BASE_LIMIT: '0',
  STORAGE_LIMIT_BYTES: '1',
  WEBHOOK_LIMIT: '0',
  CREDITS_PER_QUERY: '1000000001',
  UPLOAD_TICKET_TTL_SECONDS: '1',
  LOG_LEVEL: 'silent',
};

/** 429 from the second request on. */
const RATE_LIMITED: Settings = { RATE_LIMIT_PER_MINUTE: '1' };

/** Runs `use` with two more servers of the database and the files of a running service. */
export async function withOperator<T>(
  dataDirectory: string,
  use: (operator: Operator) => Promise<T>,
): Promise<T> {
  const proxy = await startDatabaseProxy(dataDirectory);
  const options = ['--no-worker'];
  try {
    const [searchKey, limited, rateLimited] = await Promise.all([
      runCommand(dataDirectory, 'keys', 'create', '--filter', '$type exists'),
      startSecondServer(dataDirectory, LIMITED, { options, databaseUrl: proxy.url }),
      startSecondServer(dataDirectory, RATE_LIMITED, { options }),
    ]);
    return await use({
      limitedAddress: limited.address,
      rateLimitedAddress: rateLimited.address,
      searchKey,
      cutDatabase: () => proxy.setFault({ isDown: true }),
      restoreDatabase: proxy.heal,
    }).finally(() => Promise.all([limited.stop(), rateLimited.stop()]));
  } finally {
    // Also after a failed start: otherwise this process would wait for the proxy for ever.
    proxy.close();
  }
}
