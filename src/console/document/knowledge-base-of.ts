/** The page above a document's page. */
import type { DocumentDetails } from '../../client/index.ts';
import { addressOf } from '../routes.ts';

/** The address of the knowledge base; the home page for a document that does not say where it is. */
export const knowledgeBaseOf = ({ knowledgeBaseId }: DocumentDetails): string =>
  knowledgeBaseId === undefined ? addressOf.home : addressOf.documents(knowledgeBaseId);
