/** The command that searches. */
import { Command } from 'commander';
import type { Filter, KnowledgeBase, QueryRequest } from '../../generated/types.gen.ts';
import type { KnowledgeRetrieval } from '../client/client.ts';
import { printJson, tell } from '../terminal.ts';
import { FILTER_EXAMPLE } from './document-commands.ts';
import { requireKnowledgeBase } from './find-knowledge-base.ts';
import { enumerate, pluralise } from './formats.ts';
import { collect, type JsonOption, jsonObject, wholeNumber, withJson } from './options.ts';
import { connect, type RemoteOptions, withRemote } from './remote-service.ts';
import { showResults } from './show-results.ts';

type SearchOptions = RemoteOptions &
  JsonOption & {
    kb?: string[];
    limit: number;
    filter?: Record<string, unknown>;
    context?: number;
    explain?: boolean;
  };

const toRequest = (
  query: string,
  knowledgeBases: KnowledgeBase[] | undefined,
  { limit, filter, context, explain }: SearchOptions,
): QueryRequest => ({
  query,
  limit,
  highlight: true,
  ...(knowledgeBases && { knowledgeBaseIds: knowledgeBases.map(({ id }) => id) }),
  ...(filter && { filter: filter as Filter }), // the service checks it, and names what is wrong
  ...(context !== undefined && { contextPassages: context }),
  ...(explain && { explain }),
});

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
  return [
    `Nothing was found in ${names}.`,
    hasFilter ? 'Try it without --filter.' : 'Try other or fewer words.',
    unread > 0 ? `${pluralise(unread, 'document')} cannot be found yet: they are being read.` : '',
    searched === undefined ? '' : 'Without --kb, all knowledge bases are searched.',
  ]
    .filter(Boolean)
    .join(' ');
}

export const search = withRemote(withJson(new Command('search')))
  .description('find the passages that answer a question')
  .argument('<query...>', 'a question, or words to search for')
  .option('--kb <name>', 'only in this knowledge base, by name or id; may be repeated', collect)
  .option('--limit <count>', 'the most passages, 1 to 50', wholeNumber(1, 50), 5)
  .option(
    '--filter <json>',
    `only in documents that match, such as '${FILTER_EXAMPLE}'`,
    jsonObject(FILTER_EXAMPLE),
  )
  .option('--context <count>', 'also show up to 3 passages before and after each', wholeNumber(0, 3))
  .option('--explain', 'also show how each score came about')
  .action(async (words: string[], { kb, json, ...options }: SearchOptions) => {
    const client = await connect(options);
    const searched = kb && (await Promise.all(kb.map((each) => requireKnowledgeBase(client, each))));
    const results = await client.query(toRequest(words.join(' '), searched, options));
    if (json) for (const result of results) printJson(result);
    else showResults(results);
    if (results.length === 0) tell(await adviseAfterNothing(client, searched, options.filter !== undefined));
  });
