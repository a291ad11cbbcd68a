/** The commands for API keys: create, list and revoke them. */
import { isDeepStrictEqual } from 'node:util';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Filter } from '../../../generated/types.gen.ts';
import { readDatabaseTime } from '../../database/connection/clock.ts';
import type { Database } from '../../database/connection/database.ts';
import {
  BOOTSTRAP_KEY_NAME,
  insertApiKey,
  KEY_KNOWLEDGE_BASES_MAX,
  listApiKeys,
  revokeApiKey,
} from '../../database/rows/api-keys.ts';
import { toDocumentFilter } from '../../database/rows/documents/document-filter.ts';
import { requireKnowledgeBase } from '../../database/rows/knowledge-bases.ts';
import type { KeyScope } from '../../database/schema/tables.ts';
import { parseFilterText } from '../../formats/filter-text.ts';
import { writeFilter } from '../../formats/write-filter.ts';
import { printTable } from '../../terminal/table.ts';
import { note, print, printJson } from '../../terminal/terminal.ts';
import { generateApiKey, readApiKey } from '../../terms/api-key.ts';
import { ServiceError } from '../../terms/errors.ts';
import { parseKnowledgeBaseId } from '../../terms/ids.ts';
import {
  CommandError,
  collect,
  FILTER_EXAMPLE,
  filterText,
  type JsonOption,
  wholeNumber,
  withJson,
} from '../options.ts';
import { isKnowledgeBaseId, requireNamed } from '../service/find-knowledge-base.ts';
import { formatTime, readName, requireAccountId } from './account-commands.ts';
import { onDatabase } from './on-database.ts';

/** A hundred years. PostgreSQL and JavaScript write times after the year 9999 in different ways. */
const EXPIRY_MAX_DAYS = 36_500;

/** Refuses BOOTSTRAP_KEY_NAME: the next start with another BOOTSTRAP_API_KEY revokes the keys of that name. */
function readKeyName(text: string): string {
  if (text !== BOOTSTRAP_KEY_NAME) return readName(text);
  throw new InvalidArgumentError('Keys of this name come from that setting.');
}

/** Formats a day in UTC: 2026-01-15; null → `-`. */
const formatDay = (time: Date | null): string => formatTime(time).slice(0, 'YYYY-MM-DD'.length);

/** @throws a sentence for the user unless the account has a knowledge base with this id */
async function requireOwnedId(database: Database, accountId: string, id: string): Promise<string> {
  try {
    const knowledgeBaseId = parseKnowledgeBaseId(id, undefined);
    await requireKnowledgeBase(database, { accountId, knowledgeBaseId });
    return knowledgeBaseId;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new CommandError(`The account has no knowledge base ${id}. \`kb list\` shows the ids.`);
  }
}

/** @throws a sentence for the user unless the account has exactly one knowledge base with this name */
async function requireOwnedName(database: Database, accountId: string, name: string): Promise<string> {
  const all = await database
    .selectFrom('knowledge_bases')
    .select(['knowledge_base_id as id', 'name'])
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .execute();
  const found = all.filter((each) => each.name === name);
  return requireNamed({ found, names: all.map((each) => each.name) }, name).id;
}

/** The ids of the account's knowledge bases with these ids or names. @throws a sentence for the user */
async function findIds(database: Database, accountId: string, idsOrNames: string[]): Promise<string[]> {
  const ids = new Set<string>();
  for (const given of idsOrNames)
    ids.add(await (isKnowledgeBaseId(given) ? requireOwnedId : requireOwnedName)(database, accountId, given));
  if (ids.size > KEY_KNOWLEDGE_BASES_MAX)
    throw new CommandError(`A key can be bound to ${KEY_KNOWLEDGE_BASES_MAX} knowledge bases at most.`);
  return [...ids];
}

/** A filter that the service will understand. @throws a sentence for the user */
function readKeyFilter(text: string): Filter {
  const filter = parseFilterText(filterText(text)) as Filter; // compared next
  try {
    toDocumentFilter(filter);
    if (isDeepStrictEqual(parseFilterText(writeFilter(filter)), filter)) return filter;
  } catch {
    // said below
  }
  throw new InvalidArgumentError(`This is no filter. For example: ${FILTER_EXAMPLE}`);
}

type KeyOptions = JsonOption & {
  account: string;
  name: string;
  scope?: KeyScope;
  filter?: Filter;
  knowledgeBase?: string[];
  expiresInDays?: number;
};

/** The commands of API keys. */
export const keys = new Command('keys').description('API keys of accounts');

withJson(keys.command('create'))
  .description('create a key; it is shown only once')
  .option('--account <name>', 'the account that it belongs to', 'default')
  .option('--name <text>', 'its purpose, for your lists', readKeyName, 'unnamed')
  .addOption(
    new Option(
      '--scope <scope>',
      'search: queries, lists and reads; write: also imports, updates and deletions (default: write, ' +
        'with --filter search)',
    ).choices(['search', 'write']),
  )
  .option(
    '--filter <filter>',
    `it only reads documents that match, such as '${FILTER_EXAMPLE}'. ` +
      `All others do not exist for it (default: it sees all)`,
    readKeyFilter,
  )
  .option(
    '--kb, --knowledge-base <name>',
    'bind it to this knowledge base, by name or id; may be repeated. ' +
      'All others do not exist for it (default: it sees all)',
    collect,
  )
  .option(
    '--expires-in-days <days>',
    `it expires in 1 to ${EXPIRY_MAX_DAYS} days (default: never)`,
    wholeNumber(1, EXPIRY_MAX_DAYS),
  )
  .action(({ json, account, name, filter, knowledgeBase, expiresInDays, ...options }: KeyOptions) =>
    onDatabase(async (database) => {
      const { scope = filter === undefined ? 'write' : 'search' } = options;
      if (filter !== undefined && scope !== 'search')
        throw new CommandError('A key with a filter only reads: leave out --scope, or say --scope search.');
      const accountId = await requireAccountId(database, account);
      const knowledgeBaseIds = knowledgeBase && (await findIds(database, accountId, knowledgeBase));
      const key = generateApiKey();
      const now = await readDatabaseTime(database);
      const expiresAt =
        expiresInDays === undefined ? null : new Date(now.getTime() + expiresInDays * 86_400_000);
      await insertApiKey(database, key, { accountId, name, expiresAt, scope, knowledgeBaseIds, filter });
      const id = readApiKey(key)?.keyId;
      if (json)
        printJson({
          ...{ id, key, account, name, scope, expiresAt },
          ...{ knowledgeBaseIds: knowledgeBaseIds ?? null, filter: filter ?? null },
        });
      else {
        print(key);
        note(`Key ${id} of account ${account}. It is not shown again.`);
      }
    }),
  );

type ListedKey = Awaited<ReturnType<typeof listApiKeys>>[number];

/** A key for programs; times of keys that never expire, are valid or unused are null. `lastUsedOn`: a day in UTC. */
const toJson = ({ id, account, name, scope, ...key }: ListedKey) => ({
  id,
  account,
  name,
  scope,
  createdAt: key.created_at,
  expiresAt: key.expires_at,
  revokedAt: key.revoked_at,
  lastUsedOn: key.last_used_at && formatDay(key.last_used_at),
  knowledgeBaseIds: key.knowledge_base_ids,
  filter: key.filter,
});

withJson(keys.command('list'))
  .description('list all keys, without their secrets')
  .action(({ json }: JsonOption) =>
    onDatabase(async (database) => {
      const listed = await listApiKeys(database);
      if (json) for (const key of listed) printJson(toJson(key));
      else
        await printTable(
          listed.map(({ id, account, name, scope, ...key }) => ({
            id,
            account,
            name,
            scope,
            created: formatTime(key.created_at),
            expires: formatTime(key.expires_at),
            revoked: formatTime(key.revoked_at),
            'last used': formatDay(key.last_used_at),
            'knowledge bases': key.knowledge_base_ids?.join(' ') ?? 'all',
            filter: key.filter ? writeFilter(key.filter) : '-',
          })),
        );
    }),
  );

withJson(keys.command('revoke'))
  .description('revoke a key; all servers refuse it within a second')
  .argument('<id>', 'the id that `keys list` shows')
  .action((id: string, { json }: JsonOption) =>
    onDatabase(async (database) => {
      if (!(await revokeApiKey(database, id)))
        throw new CommandError(`There is no key ${id}; see \`keys list\`.`);
      if (json) printJson({ id, revoked: true });
      else print(`Key ${id} is revoked.`);
    }),
  );

withJson(keys.command('generate'))
  .description('print a new key for BOOTSTRAP_API_KEY, without storing it')
  .action(({ json }: JsonOption) => {
    const key = generateApiKey();
    if (json) printJson({ key });
    else print(key);
  });
