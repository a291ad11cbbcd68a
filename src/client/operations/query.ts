/** The query, whose answer has the fields that the request selects. */
import * as sdk from '../../../generated/sdk.gen.ts';
import type {
  QueryRequest,
  QueryWarning,
  SearchResult,
  SearchResultField,
} from '../../../generated/types.gen.ts';
import type { CallOptions } from '../settings.ts';
import type { RequestOptions } from './request-options.ts';

/** A search result with the fields that the query has selected: all where it names none. */
export type Selected<Field extends SearchResultField> = [Field] extends [never]
  ? SearchResult
  : Pick<SearchResult, Field>;

/**
 * The results of a query. Only where there are any: `phrasesAsWords`, the phrases of the query that no passage has, so
 * that their words were searched; and `warnings`, the parts of the search that did not run.
 */
export type Found<Field extends SearchResultField> = Selected<Field>[] & {
  phrasesAsWords?: string[];
  warnings?: QueryWarning[];
};

export const createQuery = (options: RequestOptions) => ({
  /**
   * The passages that answer the query, best first; with `fields`, only these fields of them. Costs one credit, even if
   * the answer is lost.
   */
  async query<Field extends SearchResultField = never>(
    body: QueryRequest & { fields?: Field[] },
    call: CallOptions = {},
  ): Promise<Found<Field>> {
    const answer = (await sdk.query({ body, ...options(call, { isCharged: true }) })).data;
    const { data, phrasesAsWords, warnings } = answer;
    return Object.assign(data, phrasesAsWords && { phrasesAsWords }, warnings && { warnings });
  },
});
