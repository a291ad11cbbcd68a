/** The command that searches. */
import { Command, Option } from 'commander';
import type {
  Filter,
  KnowledgeBase,
  QueryRequest,
  SearchMode,
  SearchResult,
} from '../../../generated/types.gen.ts';
import type { KnowledgeRetrieval } from '../../client/client.ts';
import { enumerate, pluralise } from '../../terminal/formats.ts';
import { printJson, tell, toVisibleLine } from '../../terminal/terminal.ts';
import { collect, type JsonOption, jsonObject, wholeNumber, withJson } from '../options.ts';
import { requireKnowledgeBase } from '../service/find-knowledge-base.ts';
import { connect, type RemoteOptions, withRemote } from '../service/remote-service.ts';
import { FILTER_EXAMPLE } from './document-commands.ts';
import { type Names, showResults } from './show-results.ts';

/** What a search may go by. */
const MODES: readonly SearchMode[] = ['words', 'meaning', 'both'];

type SearchOptions = RemoteOptions &
  JsonOption & {
    kb?: string[];
    limit: number;
    filter?: Record<string, unknown>;
    context?: number;
    mode?: SearchMode;
    copies?: boolean;
    explain?: boolean;
  };

const toRequest = (
  query: string,
  knowledgeBases: KnowledgeBase[] | undefined,
  { limit, filter, context, mode, copies, explain }: SearchOptions,
): QueryRequest => ({
  query,
  limit,
  highlight: true,
  ...(!copies && { distinct: true }),
  ...(knowledgeBases && { knowledgeBaseIds: knowledgeBases.map(({ id }) => id) }),
  ...(filter && { filter: filter as Filter }), // the service checks it, and names what is wrong
  ...(context !== undefined && { contextPassages: context }),
  ...(mode && { mode }),
  ...(explain && { explain }),
});

/**
 * The names of the results' knowledge bases; empty where only one was searched. Names need not be unique: equal ones
 * are followed by the id.
 */
async function findNames(
  client: KnowledgeRetrieval,
  searched: KnowledgeBase[] | undefined,
  results: SearchResult[],
): Promise<Names> {
  const wanted = new Set(results.map((result) => result.knowledge_base_id));
  if (wanted.size === 0) return new Map();
  const names = new Map<string, string>();
  for await (const { id, name } of searched ?? client.listKnowledgeBases()) {
    names.set(id, name);
    wanted.delete(id);
    if (wanted.size === 0 && names.size > 1) break;
  }
  if (names.size < 2) return new Map();
  const isTaken = (own: string, name: string) =>
    names.entries().some(([id, other]) => id !== own && other === name);
  return new Map([...names].map(([id, name]) => [id, isTaken(id, name) ? `${name} (${id})` : name]));
}

/** Why a search may have found nothing, and what to try. */
async function adviseAfterNothing(
  client: KnowledgeRetrieval,
  searched: KnowledgeBase[] | undefined,
  hasFilter: boolean,
): Promise<string> {
  const knowledgeBases = [...(searched ?? [])];
  if (searched === undefined) for await (const each of client.listKnowledgeBases()) knowledgeBases.push(each);
  const names = enumerate(knowledgeBases.map(({ name }) => `"${name}"`));
  const sum = (count: (of: KnowledgeBase) => number | undefined) =>
    knowledgeBases.reduce((total, each) => total + (count(each) ?? 0), 0);
  if (sum(({ documentCount }) => documentCount) === 0)
    return `Nothing is stored${names && ` in ${names}`} yet. \`import PATH --kb NAME\` brings files in.`;
  const unread = sum(({ documentsByStatus: by }) => by && by.pending + by.processing);
  const withoutVectors = sum(({ documentsWithoutVectors }) => documentsWithoutVectors);
  return [
    `Nothing was found in ${names}.`,
    hasFilter ? 'Try it without --filter.' : 'Try other or fewer words.',
    withoutVectors > 0
      ? `${pluralise(withoutVectors, 'document')} cannot be found by meaning yet: only by words.`
      : '',
    unread > 0 ? `${pluralise(unread, 'document')} cannot be found yet: they are being read.` : '',
    searched === undefined ? '' : 'Without --kb, all knowledge bases are searched.',
  ]
    .filter(Boolean)
    .join(' ');
}

/** What a search did with phrases that nothing has. */
const phrasesNote = (phrases: string[]): string =>
  `No passage has ${enumerate(phrases.map((phrase) => `"${toVisibleLine(phrase)}"`))}: the words were searched instead.`;

export const search = withRemote(withJson(new Command('search')))
  .description('find the passages that answer a question')
  .argument('<query...>', `a question, or words to search for; '"exact phrases"' in quotes`)
  .option('--kb <name>', 'only in this knowledge base, by name or id; may be repeated', collect)
  .option('--limit <count>', 'the most passages, 1 to 50', wholeNumber(1, 50), 5)
  .option(
    '--filter <json>',
    `only in documents that match, such as '${FILTER_EXAMPLE}'`,
    jsonObject(FILTER_EXAMPLE),
  )
  .option('--context <count>', 'also show up to 3 passages before and after each', wholeNumber(0, 3))
  .addOption(
    new Option('--mode <by>', 'find by words alone, by meaning alone, or by both (default: both)').choices(
      MODES,
    ),
  )
  .option('--copies', 'also show passages with the same text as a better one')
  .option('--explain', 'also show how each score came about')
  .action(async (words: string[], { kb, json, ...options }: SearchOptions) => {
    const client = await connect(options);
    const searched = kb && (await Promise.all(kb.map((each) => requireKnowledgeBase(client, each))));
    const results = await client.query(toRequest(words.join(' '), searched, options));
    if (results.phrasesAsWords !== undefined) tell(phrasesNote(results.phrasesAsWords));
    for (const { message } of results.warnings ?? []) tell(toVisibleLine(message));
    if (json) for (const result of results) printJson(result);
    else showResults(results, await findNames(client, searched, results));
    if (results.length === 0) tell(await adviseAfterNothing(client, searched, options.filter !== undefined));
  });
