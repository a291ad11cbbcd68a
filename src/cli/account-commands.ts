/** The commands for accounts and their API keys: create, change, list and revoke them. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { generateApiKey, readApiKey } from '../api-key.ts';
import { readConfig } from '../config/config.ts';
import {
  type AccountChange,
  createAccount,
  findAccountId,
  listAccounts,
  updateAccount,
} from '../database/accounts.ts';
import {
  BOOTSTRAP_KEY_NAME,
  insertApiKey,
  KEY_KNOWLEDGE_BASES_MAX,
  listApiKeys,
  revokeApiKey,
} from '../database/api-keys.ts';
import { readDatabaseTime } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import { requireKnowledgeBase } from '../database/knowledge-bases.ts';
import type { KeyScope } from '../database/tables.ts';
import { ServiceError } from '../errors.ts';
import { parseKnowledgeBaseId } from '../ids.ts';
import { print, tell } from '../terminal.ts';
import { onDatabase } from './on-database.ts';
import { CommandError, collect, wholeNumber } from './options.ts';
import { printTable } from './table.ts';

/** A hundred years. PostgreSQL and JavaScript write times after the year 9999 in different ways. */
const EXPIRY_MAX_DAYS = 36_500;
/** The largest `integer` of PostgreSQL. */
const COUNT_MAX = 2_147_483_647;
const NAME_MAX = 200;

/** Reads a name that a list can show in one line: without control characters and line ends. */
function readName(text: string): string {
  if (/^(?=.*\S)[^\p{Cc}\p{Zl}\p{Zp}]+$/u.test(text) && text.length <= NAME_MAX) return text;
  throw new InvalidArgumentError(`A name of visible characters, ${NAME_MAX} at most, please.`);
}

/** Refuses BOOTSTRAP_KEY_NAME: the next start with another BOOTSTRAP_API_KEY revokes the keys of that name. */
function readKeyName(text: string): string {
  if (text !== BOOTSTRAP_KEY_NAME) return readName(text);
  throw new InvalidArgumentError('Keys of this name come from that setting.');
}

async function requireAccountId(database: Database, name: string): Promise<string> {
  const id = await findAccountId(database, name);
  if (id === undefined) throw new CommandError(`There is no account named ${name}; see \`accounts list\`.`);
  return id;
}

/** Formats a time; null → `-`. Keys of earlier versions may expire after the year 9999, which `pg` cannot read. */
function formatTime(time: Date | null): string {
  if (time === null) return '-';
  return Number.isNaN(time.valueOf()) ? 'far off' : time.toISOString();
}

/** Formats a day in UTC: 2026-01-15; null → `-`. */
const formatDay = (time: Date | null): string => formatTime(time).slice(0, 'YYYY-MM-DD'.length);

/** @throws a sentence for the user unless the account has all these knowledge bases */
async function requireKnowledgeBases(database: Database, accountId: string, ids: string[]): Promise<void> {
  if (ids.length > KEY_KNOWLEDGE_BASES_MAX)
    throw new CommandError(`A key can be bound to ${KEY_KNOWLEDGE_BASES_MAX} knowledge bases at most.`);
  for (const id of ids) {
    const owned = async () =>
      await requireKnowledgeBase(database, {
        accountId,
        knowledgeBaseId: parseKnowledgeBaseId(id, undefined),
      });
    await owned().catch((error) => {
      throw error instanceof ServiceError
        ? new CommandError(`The account has no knowledge base ${id}.`)
        : error;
    });
  }
}

type KeyOptions = {
  account: string;
  name: string;
  scope: KeyScope;
  knowledgeBase?: string[];
  expiresInDays?: number;
};

/** The commands of API keys. */
export const keys = new Command('keys').description('API keys of accounts');

keys
  .command('create')
  .description('create a key; it is shown only once')
  .option('--account <name>', 'the account that it belongs to', 'default')
  .option('--name <text>', 'its purpose, for your lists', readKeyName, 'unnamed')
  .addOption(
    new Option(
      '--scope <scope>',
      'search: queries, lists and reads; write: also imports, updates and deletions',
    )
      .choices(['search', 'write'])
      .default('write'),
  )
  .option(
    '--knowledge-base <id>',
    'bind it to this knowledge base; may be repeated. All others do not exist for it (default: it sees all)',
    collect,
  )
  .option(
    '--expires-in-days <days>',
    `it expires in 1 to ${EXPIRY_MAX_DAYS} days (default: never)`,
    wholeNumber(1, EXPIRY_MAX_DAYS),
  )
  .action(({ account, name, scope, knowledgeBase: knowledgeBaseIds, expiresInDays }: KeyOptions) =>
    onDatabase(async (database) => {
      const accountId = await requireAccountId(database, account);
      await requireKnowledgeBases(database, accountId, knowledgeBaseIds ?? []);
      const key = generateApiKey();
      const now = await readDatabaseTime(database);
      const expiresAt =
        expiresInDays === undefined ? null : new Date(now.getTime() + expiresInDays * 86_400_000);
      await insertApiKey(database, key, { accountId, name, expiresAt, scope, knowledgeBaseIds });
      print(key);
      tell(`Key ${readApiKey(key)?.keyId} of account ${account}. It is not shown again.`);
    }),
  );

keys
  .command('list')
  .description('list all keys, without their secrets')
  .action(() =>
    onDatabase(async (database) => {
      await printTable(
        (await listApiKeys(database)).map(({ id, account, name, scope, ...key }) => ({
          id,
          account,
          name,
          scope,
          created: formatTime(key.created_at),
          expires: formatTime(key.expires_at),
          revoked: formatTime(key.revoked_at),
          'last used': formatDay(key.last_used_at),
          'knowledge bases': key.knowledge_base_ids?.join(' ') ?? 'all',
        })),
      );
    }),
  );

keys
  .command('revoke')
  .description('revoke a key; all servers refuse it within a second')
  .argument('<id>', 'the id that `keys list` shows')
  .action((id: string) =>
    onDatabase(async (database) => {
      if (!(await revokeApiKey(database, id)))
        throw new CommandError(`There is no key ${id}; see \`keys list\`.`);
      print(`Key ${id} is revoked.`);
    }),
  );

keys
  .command('generate')
  .description('print a new key for BOOTSTRAP_API_KEY, without storing it')
  .action(() => print(generateApiKey()));

/** The commands of accounts. */
export const accounts = new Command('accounts').description('accounts, their limits and credits');

const withLimits = (command: Command) =>
  command
    .option('--storage-limit-bytes <bytes>', 'instead of STORAGE_LIMIT_BYTES', wholeNumber())
    .option('--knowledge-base-limit <count>', 'instead of KNOWLEDGE_BASE_LIMIT', wholeNumber(0, COUNT_MAX))
    .option('--credits <count>', 'the balance', wholeNumber());

withLimits(
  accounts.command('create').description('create an account').argument('<name>', 'its name', readName),
).action((name: string, change: AccountChange) =>
  onDatabase(async (database) => {
    if (await findAccountId(database, name))
      throw new CommandError(`An account named ${name} exists already.`);
    await database.transaction().execute(async (transaction) => {
      const id = await createAccount(transaction, name, readConfig().initialCredits);
      await updateAccount(transaction, id, change);
    });
    print(`Account ${name} is created; \`keys create --account ${name}\` creates its first key.`);
  }),
);

withLimits(
  accounts.command('set').description("change an account's limits or credits").argument('<name>'),
).action((name: string, change: AccountChange) =>
  onDatabase(async (database) => {
    if (Object.keys(change).length === 0)
      throw new CommandError('No change was given; see `accounts set --help`.');
    await updateAccount(database, await requireAccountId(database, name), change);
    print(`Account ${name} is changed.`);
  }),
);

/** 3, null, 10 → `3 of 10 (default)`. */
const formatUsage = (used: number, limit: number | null, defaultLimit: number): string =>
  `${used} of ${limit ?? `${defaultLimit} (default)`}`;

accounts
  .command('list')
  .description('list all accounts with limits, credits and usage')
  .action(() =>
    onDatabase(async (database) => {
      const { knowledgeBaseLimit, storageLimitBytes } = readConfig();
      await printTable(
        (await listAccounts(database)).map((account) => ({
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
