/** The settings of a search: as parameters of the page, and as the request that they make. */
import type { Filter, KnowledgeBase, QueryRequest, SearchMode } from '../../client/index.ts';
import { parseFilterText } from '../../formats/filter-text.ts';

export type SearchSettings = {
  /** Empty: all knowledge bases. */
  knowledgeBaseIds: string[];
  /** Undefined: the default of the service. */
  limit: number | undefined;
  minScore: number | undefined;
  maxPerDocument: number | undefined;
  contextPassages: number | undefined;
  prefix: boolean;
  /** Whether passages with the same text are shown each. */
  showsCopies: boolean;
  mode: SearchMode;
  /** Empty: all documents. */
  documentIds: string[];
  /** As text or JSON; '' without a filter. */
  filter: string;
};

/** The names of the parameters. The second settings of a comparison have a prefix. */
export type Side = '' | 'b.';

/** What finds passages; the first is the default of the service. */
const MODES: readonly SearchMode[] = ['both', 'words', 'meaning'];

const numberIn = (text: string | null): number | undefined => (text ? Number(text) : undefined);

/** Reads the settings of one side from the parameters of the page. */
export function readSettings(parameters: URLSearchParams, side: Side = ''): SearchSettings {
  const get = (name: string) => parameters.get(side + name);
  return {
    knowledgeBaseIds: parameters.getAll(`${side}kb`),
    limit: numberIn(get('limit')),
    minScore: numberIn(get('minScore')),
    maxPerDocument: numberIn(get('maxPerDocument')),
    contextPassages: numberIn(get('context')),
    prefix: get('prefix') === 'true',
    showsCopies: get('copies') === 'true',
    mode: MODES.find((mode) => mode === get('mode')) ?? 'both',
    documentIds: parameters.getAll(`${side}document`),
    filter: get('filter') ?? '',
  };
}

/** Adds the settings of one side to the parameters. Defaults are left out. */
export function writeSettings(parameters: URLSearchParams, settings: SearchSettings, side: Side = ''): void {
  const set = (name: string, value: unknown, isDefault: boolean) => {
    if (!isDefault) parameters.append(side + name, String(value));
  };
  for (const id of settings.knowledgeBaseIds) set('kb', id, false);
  for (const id of settings.documentIds) set('document', id, false);
  set('limit', settings.limit, settings.limit === undefined);
  set('minScore', settings.minScore, settings.minScore === undefined);
  set('maxPerDocument', settings.maxPerDocument, settings.maxPerDocument === undefined);
  set('context', settings.contextPassages, settings.contextPassages === undefined);
  set('prefix', true, !settings.prefix);
  set('copies', true, !settings.showsCopies);
  set('mode', settings.mode, settings.mode === 'both');
  set('filter', settings.filter, settings.filter === '');
}

/** How many settings differ from their defaults, besides the knowledge bases. */
export const changedCount = (settings: SearchSettings): number => {
  const parameters = new URLSearchParams();
  writeSettings(parameters, { ...settings, knowledgeBaseIds: [] });
  return new Set(parameters.keys()).size;
};

/** The settings without what restricts a search. */
export const widen = (settings: SearchSettings): SearchSettings => ({
  ...settings,
  filter: '',
  minScore: undefined,
  documentIds: [],
  knowledgeBaseIds: [],
});

/** The ids of the knowledge bases that are searched. All of them begin with the largest: not all may be asked. */
export function searchedIds(
  { knowledgeBaseIds }: SearchSettings,
  knowledgeBases: readonly KnowledgeBase[],
): string[] {
  if (knowledgeBaseIds.length > 0) return knowledgeBaseIds;
  return knowledgeBases
    .toSorted(({ documentCount: a = 0 }, { documentCount: b = 0 }) => b - a)
    .map(({ id }) => id);
}

/** Parses the filter. @throws a FilterTextError; the service checks the bounds, and the types of JSON */
export const parseFilter = (text: string): Filter => parseFilterText(text) as Filter;

/** The request of a search. It asks for everything that the page shows of a result. */
export const toRequest = (query: string, settings: SearchSettings): QueryRequest => ({
  query,
  ...(settings.knowledgeBaseIds.length > 0 && { knowledgeBaseIds: settings.knowledgeBaseIds }),
  ...(settings.documentIds.length > 0 && { documentIds: settings.documentIds }),
  ...(settings.limit !== undefined && { limit: settings.limit }),
  ...(settings.minScore !== undefined && { minScore: settings.minScore }),
  ...(settings.maxPerDocument !== undefined && { maxPerDocument: settings.maxPerDocument }),
  ...(settings.contextPassages !== undefined && { contextPassages: settings.contextPassages }),
  ...(settings.prefix && { prefix: true }),
  ...(!settings.showsCopies && { distinct: true }),
  ...(settings.mode !== 'both' && { mode: settings.mode }),
  ...(settings.filter.trim() !== '' && { filter: parseFilter(settings.filter) }),
  highlight: true,
  explain: true,
});
