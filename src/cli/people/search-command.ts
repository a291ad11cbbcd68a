/** The command that searches. */
import { Command, Option } from 'commander';
import type { KnowledgeBase, QueryRequest, SearchMode, SearchResult } from '../../../generated/types.gen.ts';
import type { KnowledgeRetrieval } from '../../client/client.ts';
import { enumerate, pluralise } from '../../terminal/formats.ts';
import { note, printJson, toVisibleLine } from '../../terminal/terminal.ts';
import {
  collect,
  FILTER_EXAMPLE,
  filterText,
  type JsonOption,
  share,
  wholeNumber,
  withJson,
} from '../options.ts';
import { requireDocumentId } from '../service/find-document.ts';
import { requireKnowledgeBase } from '../service/find-knowledge-base.ts';
import { connect, type RemoteOptions, withRemote } from '../service/remote-service.ts';
import { type Names, showResults } from './show-results.ts';

/** What a search may go by. */
const MODES: readonly SearchMode[] = ['words', 'meaning', 'both'];

type SearchOptions = RemoteOptions &
  JsonOption & {
    kb?: string[];
    limit: number;
    filter?: string;
    context?: number;
    mode?: SearchMode;
    prefix?: boolean;
    minScore?: number;
    maxPerDocument?: number;
    document?: string[];
    rerank: boolean;
    copies?: boolean;
    explain?: boolean;
  };

/** Where a search looks; undefined: everywhere. */
type Searched = { knowledgeBases: KnowledgeBase[] | undefined; documentIds: string[] | undefined };

/** The options that are fields of a request, by the same names. */
const sameNamed = ({ limit, mode, prefix, minScore, maxPerDocument, explain }: SearchOptions) => ({
  limit,
  ...(mode && { mode }),
  ...(prefix && { prefix }),
  ...(minScore !== undefined && { minScore }),
  ...(maxPerDocument !== undefined && { maxPerDocument }),
  ...(explain && { explain }),
});

function toRequest(query: string, searched: Searched, options: SearchOptions): QueryRequest {
  const { filter, context, copies, rerank } = options;
  const { knowledgeBases, documentIds } = searched;
  return {
    query,
    highlight: true,
    ...sameNamed(options),
    ...(!copies && { distinct: true }),
    ...(!rerank && { rerank }),
    ...(knowledgeBases && { knowledgeBaseIds: knowledgeBases.map(({ id }) => id) }),
    ...(documentIds && { documentIds }),
    ...(filter !== undefined && { filter }),
    ...(context !== undefined && { contextPassages: context }),
  };
}

/** Finds what the options name. A document may be named by its path or title where there is one --kb. */
async function findSearched(
  client: KnowledgeRetrieval,
  { kb, document }: Pick<SearchOptions, 'kb' | 'document'>,
): Promise<Searched> {
  const only = kb?.length === 1 ? kb[0] : undefined;
  return {
    knowledgeBases: kb && (await Promise.all(kb.map((each) => requireKnowledgeBase(client, each)))),
    documentIds:
      document && (await Promise.all(document.map((each) => requireDocumentId(client, each, only)))),
  };
}

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

/** The options that leave passages out. */
const narrowingOf = ({ filter, document, minScore }: SearchOptions): string[] => [
  ...(filter ? ['--filter'] : []),
  ...(document ? ['--document'] : []),
  ...(minScore === undefined ? [] : ['--min-score']),
];

/** Why a search may have found nothing, and what to try. */
async function adviseAfterNothing(
  client: KnowledgeRetrieval,
  searched: KnowledgeBase[] | undefined,
  narrowing: string[],
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
    narrowing.length > 0 ? `Try it without ${enumerate(narrowing)}.` : 'Try other or fewer words.',
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
  `No passage has ${enumerate(phrases.map((phrase) => `"${toVisibleLine(phrase)}"`))}: ` +
  `the words were searched instead.`;

export const search = withRemote(withJson(new Command('search')))
  .description('find the passages that answer a question')
  .argument('<query...>', `a question, or words to search for; '"exact phrases"' in quotes`)
  .option('--kb <name>', 'only in this knowledge base, by name or id; may be repeated', collect)
  .option('--limit <count>', 'the most passages, 1 to 50', wholeNumber(1, 50), 5)
  .option('--filter <filter>', `only in documents that match, such as '${FILTER_EXAMPLE}'`, filterText)
  .option('--context <count>', 'also show up to 3 passages before and after each', wholeNumber(0, 3))
  .addOption(
    new Option('--mode <by>', 'find by words alone, by meaning alone, or by both (default: both)').choices(
      MODES,
    ),
  )
  .option(
    '--document <document>',
    'only in this one: its id, or with one --kb its path or title; may be repeated',
    collect,
  )
  .option('--min-score <score>', 'leave out passages with a lower score, 0 to 1', share)
  .option('--max-per-document <count>', 'the most passages of one document, 1 to 50', wholeNumber(1, 50))
  .option('--prefix', 'the last word may be the beginning of one')
  .option('--no-rerank', 'leave the order as it is without the model of RERANK_URL')
  .option('--copies', 'also show passages with the same text as a better one')
  .option('--explain', 'also show how each score came about')
  .action(async (words: string[], { json, ...options }: SearchOptions) => {
    const client = await connect(options);
    const searched = await findSearched(client, options);
    const results = await client.query(toRequest(words.join(' '), searched, options));
    if (results.phrasesAsWords !== undefined) note(phrasesNote(results.phrasesAsWords));
    for (const { message } of results.warnings ?? []) note(toVisibleLine(message));
    if (json) for (const result of results) printJson(result);
    else showResults(results, await findNames(client, searched.knowledgeBases, results));
    if (results.length === 0)
      note(await adviseAfterNothing(client, searched.knowledgeBases, narrowingOf(options)));
  });
