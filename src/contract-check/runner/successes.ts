/** For every operation: a request that succeeds, and the checks of its promises. */
import type { PlannedRequest, RunContext } from '../planning/planned-request.ts';
import * as account from '../promises/account.ts';
import * as attributes from '../promises/attributes.ts';
import * as documents from '../promises/documents.ts';
import * as keys from '../promises/keys.ts';
import * as knowledgeBases from '../promises/knowledge-bases.ts';
import * as passages from '../promises/passages.ts';
import * as queryHistory from '../promises/query-history.ts';
import * as search from '../promises/search.ts';
import * as synonyms from '../promises/synonyms.ts';
import * as uploads from '../promises/uploads.ts';
import * as webhooks from '../promises/webhooks.ts';
import type { OperationId } from '../spec/routes.ts';

export const SUCCESSES: Record<
  OperationId,
  (context: RunContext) => Promise<PlannedRequest> | PlannedRequest
> = {
  ...account,
  ...attributes,
  ...documents,
  ...keys,
  ...knowledgeBases,
  ...passages,
  ...queryHistory,
  ...search,
  ...synonyms,
  ...uploads,
  ...webhooks,
};
