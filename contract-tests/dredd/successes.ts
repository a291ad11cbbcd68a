/** The good request of every operation, with what its success promises. */
import type { OperationId } from '../harness/contract-check.ts';
import * as account from '../promises/account.ts';
import * as documents from '../promises/documents.ts';
import * as knowledgeBases from '../promises/knowledge-bases.ts';
import * as search from '../promises/search.ts';
import * as uploads from '../promises/uploads.ts';
import type { Provocation, Work } from './provocation.ts';

export const SUCCESSES: Record<OperationId, (work: Work) => Promise<Provocation> | Provocation> = {
  ...account,
  ...documents,
  ...knowledgeBases,
  ...search,
  ...uploads,
};
