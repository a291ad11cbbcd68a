/** The address of the page that searches what a kept query has searched. */
import type { KeptQuery } from '../../client/index.ts';
import { writeFilter } from '../../formats/write-filter.ts';
import { addressOf } from '../routes.ts';
import { type SearchSettings, writeSettings } from '../search/settings.ts';

/** A filter of the request, as text. The service has kept it in JSON. */
export const filterOf = ({ filter }: KeptQuery['request']): string =>
  filter === undefined ? '' : typeof filter === 'string' ? filter : writeFilter(filter);

const settingsOf = (request: KeptQuery['request']): SearchSettings => ({
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

export function searchAgain({ request }: KeptQuery): string {
  const parameters = new URLSearchParams({ q: request.query });
  writeSettings(parameters, settingsOf(request));
  return addressOf.search(parameters);
}
