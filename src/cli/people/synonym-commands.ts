/** The commands for synonyms. */
import { readFile } from 'node:fs/promises';
import { text as readText } from 'node:stream/consumers';
import { Command } from 'commander';
import type { SynonymGroup } from '../../../generated/types.gen.ts';
import type { KnowledgeRetrieval } from '../../client/client.ts';
import { parseJson } from '../../client/errors.ts';
import { formatSynonyms, parseSynonyms } from '../../formats/synonym-lines.ts';
import { pluralise } from '../../terminal/formats.ts';
import { note, print, printJson, toVisible } from '../../terminal/terminal.ts';
import { codeOf } from '../../terms/problem.ts';
import { CommandError, type JsonOption, withJson } from '../options.ts';
import { requireKnowledgeBase } from '../service/find-knowledge-base.ts';
import { connect, type RemoteOptions, withRemote } from '../service/remote-service.ts';

type Options = RemoteOptions & JsonOption & { kb?: string };

export const synonyms = new Command('synonyms').description(
  'synonyms: words that find each other, of the account or of a knowledge base',
);

const withOwner = (command: Command) =>
  withRemote(withJson(command)).option('--kb <knowledge-base>', 'its id or name; default: of the account');

async function ownerOf(client: KnowledgeRetrieval, { kb }: Options): Promise<{ knowledgeBaseId?: string }> {
  return kb === undefined ? {} : { knowledgeBaseId: (await requireKnowledgeBase(client, kb)).id };
}

async function readInput(path: string): Promise<string> {
  if (path === '-') return await readText(process.stdin);
  return await readFile(path, 'utf8').catch((error) => {
    throw new CommandError(`${path} cannot be read (${codeOf(error)}).`);
  });
}

/** A list of groups, an object with `groups`, or a group a line, as `synonyms get --json` prints them. */
function parseGroupsOfJson(text: string): SynonymGroup[] {
  const value = parseJson(text) as { groups?: SynonymGroup[] } | SynonymGroup[] | undefined;
  const groups = Array.isArray(value) ? value : value?.groups;
  if (groups !== undefined) return groups;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const values = lines.map((line) => parseJson(line) as SynonymGroup | undefined);
  if (values.every((each): each is SynonymGroup => each?.terms !== undefined)) return values;
  throw new CommandError('The JSON must be a list of groups, an object with `groups`, or a group a line.');
}

/** @throws a sentence about what is no group. The service checks the groups of JSON, and names what is wrong. */
function parseGroups(text: string): SynonymGroup[] {
  if (text.trim() === '') throw new CommandError('There are no groups in it; `[]` removes all of them.');
  if (/^\s*[[{]/.test(text)) return parseGroupsOfJson(text);
  try {
    return parseSynonyms(text);
  } catch (error) {
    throw error instanceof SyntaxError ? new CommandError(error.message) : error;
  }
}

withOwner(synonyms.command('get'))
  .description('print all groups, as lines that `synonyms set` reads')
  .action(async ({ json, ...options }: Options) => {
    const client = await connect(options);
    const { groups } = await client.getSynonyms(await ownerOf(client, options));
    if (json) for (const group of groups) printJson(group);
    else if (groups.length === 0) note('There are none yet: `synonyms set` sets them.');
    else print(toVisible(formatSynonyms(groups)));
  });

withOwner(synonyms.command('set'))
  .description('replace all groups by those of a file')
  .argument(
    '<file>',
    'lines such as "PTO, paid time off" and "laptop => ThinkPad, MacBook", or JSON; - is standard input',
  )
  .action(async (path: string, { json, ...options }: Options) => {
    const client = await connect(options);
    const groups = parseGroups(await readInput(path));
    const set = await client.setSynonyms({ ...(await ownerOf(client, options)), groups });
    if (json) printJson(set);
    else
      print(
        `${pluralise(set.groups.length, 'group')} of synonyms ${set.groups.length === 1 ? 'counts' : 'count'} now.`,
      );
  });
