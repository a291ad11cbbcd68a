/** The commands for accounts: create, change and list them. */
import { Command, InvalidArgumentError } from 'commander';
import { readConfig } from '../../config/config.ts';
import type { Database } from '../../database/connection/database.ts';
import {
  type AccountChange,
  createAccount,
  findAccountId,
  listAccounts,
  updateAccount,
} from '../../database/rows/accounts.ts';
import { printTable } from '../../terminal/table.ts';
import { print, printJson } from '../../terminal/terminal.ts';
import { CommandError, type JsonOption, wholeNumber, withJson } from '../options.ts';
import { onDatabase } from './on-database.ts';

/** The largest `integer` of PostgreSQL. */
const COUNT_MAX = 2_147_483_647;
const NAME_MAX = 200;

/** Reads a name that a list can show in one line: without control characters and line ends. */
export function readName(text: string): string {
  if (/^(?=.*\S)[^\p{Cc}\p{Zl}\p{Zp}]+$/u.test(text) && text.length <= NAME_MAX) return text;
  throw new InvalidArgumentError(`A name of visible characters, ${NAME_MAX} at most, please.`);
}

/** @throws a sentence for the user when there is none */
export async function requireAccountId(database: Database, name: string): Promise<string> {
  const id = await findAccountId(database, name);
  if (id === undefined) throw new CommandError(`There is no account named ${name}; see \`accounts list\`.`);
  return id;
}

/** Formats a time; null → `-`. Keys of earlier versions may expire after the year 9999, which `pg` cannot read. */
export function formatTime(time: Date | null): string {
  if (time === null) return '-';
  return Number.isNaN(time.valueOf()) ? 'far off' : time.toISOString();
}

/** The commands of accounts. */
export const accounts = new Command('accounts').description('accounts, their limits and credits');

const withLimits = (command: Command) =>
  withJson(command)
    .option('--storage-limit-bytes <bytes>', 'instead of STORAGE_LIMIT_BYTES', wholeNumber())
    .option('--knowledge-base-limit <count>', 'instead of KNOWLEDGE_BASE_LIMIT', wholeNumber(0, COUNT_MAX))
    .option('--credits <count>', 'the balance', wholeNumber());

type ListedAccount = Awaited<ReturnType<typeof listAccounts>>[number];

/** An account for programs. A limit is null where the server's setting applies. */
const toJson = ({ name, credits, knowledgeBaseCount, storageUsed, ...account }: ListedAccount) => ({
  name,
  credits,
  knowledgeBaseCount,
  knowledgeBaseLimit: account.knowledge_base_limit,
  storageUsed,
  storageLimitBytes: account.storage_limit_bytes,
  createdAt: account.created_at,
});

async function printAccount(database: Database, name: string): Promise<void> {
  for (const account of await listAccounts(database)) if (account.name === name) printJson(toJson(account));
}

withLimits(
  accounts.command('create').description('create an account').argument('<name>', 'its name', readName),
).action((name: string, { json, ...change }: AccountChange & JsonOption) =>
  onDatabase(async (database) => {
    if (await findAccountId(database, name))
      throw new CommandError(`An account named ${name} exists already.`);
    await database.transaction().execute(async (transaction) => {
      const id = await createAccount(transaction, name, readConfig().initialCredits);
      await updateAccount(transaction, id, change);
    });
    if (json) await printAccount(database, name);
    else print(`Account ${name} is created; \`keys create --account ${name}\` creates its first key.`);
  }),
);

withLimits(
  accounts.command('set').description("change an account's limits or credits").argument('<name>'),
).action((name: string, { json, ...change }: AccountChange & JsonOption) =>
  onDatabase(async (database) => {
    if (Object.keys(change).length === 0)
      throw new CommandError('No change was given; see `accounts set --help`.');
    await updateAccount(database, await requireAccountId(database, name), change);
    if (json) await printAccount(database, name);
    else print(`Account ${name} is changed.`);
  }),
);

/** 3, null, 10 → `3 of 10 (default)`. */
const formatUsage = (used: number, limit: number | null, defaultLimit: number): string =>
  `${used} of ${limit ?? `${defaultLimit} (default)`}`;

withJson(accounts.command('list'))
  .description('list all accounts with limits, credits and usage')
  .action(({ json }: JsonOption) =>
    onDatabase(async (database) => {
      const { knowledgeBaseLimit, storageLimitBytes } = readConfig();
      const listed = await listAccounts(database);
      if (json) for (const account of listed) printJson(toJson(account));
      else
        await printTable(
          listed.map((account) => ({
            name: account.name,
            credits: String(account.credits),
            'knowledge bases': formatUsage(
              account.knowledgeBaseCount,
              account.knowledge_base_limit,
              knowledgeBaseLimit,
            ),
            'storage bytes': formatUsage(account.storageUsed, account.storage_limit_bytes, storageLimitBytes),
            created: formatTime(account.created_at),
          })),
        );
    }),
  );
