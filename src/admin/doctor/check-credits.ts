/** Finds accounts with few credits: a query of an account without credits is refused with 402. */
import type { Config } from '../../config/config.ts';
import { listLowBalances } from '../../database/accounts.ts';
import type { Database } from '../../database/database.ts';
import type { Problem } from '../../problem.ts';

/** An account with less than a tenth of a new account's credits will soon need more. */
const LOW_DIVISOR = 10;
/** The maximum number of accounts that the warning lists. */
const LISTED_MAX = 5;

/**
 * Warns of accounts that run out of credits. Only a warning: an account's initial credits are not stored, and may have
 * been few. If queries cost nothing, no account runs out.
 */
export async function checkCredits(database: Database, config: Config): Promise<Problem[]> {
  const { initialCredits, creditsPerQuery } = config;
  if (creditsPerQuery === 0) return [];
  const low = await listLowBalances(database, Math.ceil(initialCredits / LOW_DIVISOR));
  if (low.length === 0) return [];
  const names = low.slice(0, LISTED_MAX).map(({ name, credits }) => `${name} (${credits})`);
  if (low.length > LISTED_MAX) names.push(`and ${low.length - LISTED_MAX} more`);
  const accounts = low.length === 1 ? '1 account has' : `${low.length} accounts have`;
  return [
    {
      isWarning: true,
      problem: `${accounts} less than a tenth of INITIAL_CREDITS (${initialCredits}) left: ${names.join(', ')}.`,
      remedy:
        'At 0 every query is refused with 402. ' +
        `Run \`npx knowledge-retrieval accounts set NAME --credits ${initialCredits}\`.`,
    },
  ];
}
