/** Arguments and results that several tools have. */
import { z } from 'zod';
import type { Document } from '../../../generated/types.gen.ts';
import { documentAddress } from '../../formats/document-address.ts';

export const knowledgeBase = z
  .string()
  .min(1)
  .describe('A knowledge base: its name or id, from list_knowledge_bases.');

export const documentId = z
  .string()
  .min(1)
  .max(2048)
  .describe('A document: its id, or its address here, from search or list_documents.');

export const attributes = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]),
);

export const filter = z
  .union([z.string(), z.record(z.string(), z.unknown())])
  .exactOptional()
  .describe(
    'Only documents whose attributes, from list_attributes, match: year >= 2025 and team = "sales". ' +
      'With =, !=, <, <=, >, >=, in (1, 2), not in, ' +
      'contains, exists, between 1 and 2; and, or, not, parentheses. $type, $title, ' +
      '$createdAt and $sourceUrl are the ' +
      'document’s own.',
  );

export const cursor = z.string().min(1).exactOptional().describe('`nextCursor` of the page before.');

// Not null at the end: some models' dialects of JSON Schema have no value of two types.
export const nextCursor = z
  .string()
  .exactOptional()
  .describe('Ask with it as `cursor` for the next page; the last page has none.');

export const toNext = ({ nextCursor: next }: { nextCursor: string | null }) =>
  next === null ? {} : { nextCursor: next };

/** The lines of a page as text, and how to get the next one. */
export const toPage = (lines: string[], { nextCursor: next }: { nextCursor: string | null }): string =>
  [
    lines.join('\n') || 'There are none.',
    ...(next === null ? [] : [`There are more: call again with cursor ${next}`]),
  ].join('\n\n');

/** `team sales; year 2026; tags food, drink` */
export const describeAttributes = (of: Document['attributes'] = {}): string =>
  Object.entries(of)
    .map(([name, value]) => `${name} ${[value].flat().join(', ')}`)
    .join('; ');

/** Where people open a document: the original's address if it has one, otherwise its page in the console. */
export const addressFor = (
  { id, sourceUrl }: { id: string; sourceUrl?: string | undefined },
  service: string,
  passage?: number,
): string => sourceUrl ?? documentAddress(service, id, passage);
