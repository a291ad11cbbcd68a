/** The address of the page that searches what a kept query has searched. */
import type { KeptQuery, QueryRequest } from '../../client/index.ts';
import { writeFilter } from '../../formats/write-filter.ts';
import { addressOf } from '../routes.ts';
import { type SearchSettings, writeSettings } from '../search/settings.ts';
import { requestOf } from './chosen-queries.ts';

/** A filter of the request, as text. The service has kept it in JSON. */
export const filterOf = ({ filter }: QueryRequest): string =>
  filter === undefined ? '' : typeof filter === 'string' ? filter : writeFilter(filter);

const settingsOf = (request: QueryRequest): SearchSettings => ({
  knowledgeBaseIds: request.knowledgeBaseIds ?? [],
  documentIds: request.documentIds ?? [],
  limit: request.limit === 10 ? undefined : request.limit, // the default of the service
  minScore: request.minScore,
  maxPerDocument: request.maxPerDocument,
  contextPassages: request.contextPassages || undefined,
  prefix: request.prefix ?? false,
  showsCopies: !request.distinct,
  mode: request.mode ?? 'both',
  filter: filterOf(request),
});

export function searchAgain(query: KeptQuery): string {
  const parameters = new URLSearchParams({ q: query.request.query });
  writeSettings(parameters, settingsOf(requestOf(query)));
  return addressOf.search(parameters);
}
