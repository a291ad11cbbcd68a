/** Finds accounts that have little left of a limit: credits, storage, knowledge bases. */
import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/connection/database.ts';
import { listLowBalances } from '../../database/rows/accounts.ts';
import { listNearLimits, type NearLimits } from '../../database/rows/limits/near-limits.ts';
import type { Problem } from '../../terms/problem.ts';

/** An account with less than a tenth of a new account's credits will soon need more. */
const LOW_DIVISOR = 10;
/** The maximum number of accounts that a warning lists. */
const LISTED_MAX = 5;

/** Describes accounts as `2 accounts have …: a (1), b (2)`. */
function describeAccounts(what: string, accounts: string[]): string {
  const listed = accounts.slice(0, LISTED_MAX);
  if (accounts.length > LISTED_MAX) listed.push(`and ${accounts.length - LISTED_MAX} more`);
  const subject = accounts.length === 1 ? '1 account has' : `${accounts.length} accounts have`;
  return `${subject} less than a tenth of ${what} left: ${listed.join(', ')}.`;
}

/**
 * Warns of accounts that run out of credits. Only a warning: an account's initial credits are not stored, and may have
 * been few. If queries cost nothing, no account runs out.
 */
export async function checkCredits(database: Database, config: Config): Promise<Problem[]> {
  const { initialCredits, creditsPerQuery } = config;
  if (creditsPerQuery === 0) return [];
  const low = await listLowBalances(database, Math.ceil(initialCredits / LOW_DIVISOR));
  if (low.length === 0) return [];
  const accounts = low.map(({ name, credits }) => `${name} (${credits})`);
  return [
    {
      isWarning: true,
      problem: describeAccounts(`INITIAL_CREDITS (${initialCredits})`, accounts),
      remedy:
        'At 0 every query is refused with 402. ' +
        `Run \`npx knowledge-retrieval accounts set NAME --credits ${initialCredits}\`.`,
    },
  ];
}

/** Accounts with less than a tenth of this limit left, each with its use: `a (950 of 1000 bytes)`. */
const describeNear = (accounts: NearLimits[], limit: 'storage' | 'knowledgeBases', unit: string): string[] =>
  accounts
    .filter((account) => account[limit].isNear)
    .map(({ name, ...account }) => `${name} (${account[limit].used} of ${account[limit].limit}${unit})`);

/** Warns of accounts that will soon be unable to store more. Only a warning: a limit may be meant to be reached. */
export async function checkLimits(database: Database, config: Config): Promise<Problem[]> {
  const near = await listNearLimits(database, config);
  const warnings = [
    {
      accounts: describeNear(near, 'storage', ' bytes'),
      what: 'the storage limit',
      remedy:
        'At the limit every import is refused with 403. Delete documents, or run ' +
        '`npx knowledge-retrieval accounts set NAME --storage-limit-bytes BYTES`.',
    },
    {
      accounts: describeNear(near, 'knowledgeBases', ''),
      what: 'the allowed knowledge bases',
      remedy:
        'At the limit no knowledge base can be created: 403. Delete some, or run ' +
        '`npx knowledge-retrieval accounts set NAME --knowledge-base-limit COUNT`.',
    },
  ];
  return warnings
    .filter(({ accounts }) => accounts.length > 0)
    .map(({ accounts, what, remedy }) => ({
      isWarning: true,
      problem: describeAccounts(what, accounts),
      remedy,
    }));
}
