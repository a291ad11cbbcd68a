/** Brings about what no request alone provokes: servers beside a running service that are out of something. */
import type { Operator } from '../../contract-tests/dredd/target.ts';
import { type Settings, startService } from '../service-process.ts';
import { openDatabaseLink } from './database-link.ts';

/**
 * Nothing to give: 402, 403, and 410 a second after the ticket. The price is above what an account has at first. It
 * would complain of its database when that is taken away.
 */
const SPENT: Settings = {
  KNOWLEDGE_BASE_LIMIT: '0',
  STORAGE_LIMIT_BYTES: '1',
  CREDITS_PER_QUERY: '1000001',
  UPLOAD_TICKET_TTL_SECONDS: '1',
  LOG_LEVEL: 'silent',
};

/** 429 from the second request on. */
const HURRIED: Settings = { RATE_LIMIT_PER_MINUTE: '1' };

/** A server beside the one of this directory, on the same database by a link of its own. */
async function startBeside(dataDirectory: string, settings: Settings) {
  const link = await openDatabaseLink(dataDirectory);
  const { address, stop } = await startService(dataDirectory, {
    settings: { ...settings, DATABASE_URL: link.url },
    options: ['--no-worker'],
  });
  return { address, link, stop };
}

/** Runs `use` with two more servers of the database and the files of a running service. */
export async function withOperator<T>(
  dataDirectory: string,
  use: (operator: Operator) => Promise<T>,
): Promise<T> {
  const [spent, hurried] = await Promise.all([
    startBeside(dataDirectory, SPENT),
    startBeside(dataDirectory, HURRIED),
  ]);
  try {
    return await use({
      spentAddress: spent.address,
      hurriedAddress: hurried.address,
      cutDatabase: spent.link.cut,
      joinDatabase: spent.link.join,
    });
  } finally {
    await Promise.all([spent.stop(), hurried.stop()]);
    for (const { link } of [spent, hurried]) link.close();
  }
}
