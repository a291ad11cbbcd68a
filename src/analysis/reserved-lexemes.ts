/**
 * Lexemes of a passage beside the lexemes of its text: one for its knowledge base, and one for each impact tier of a
 * word (indexing/postings/impact-tiers.ts).
 */

/** Reserved lexemes begin with it, and no token of a text does. */
export const RESERVED = '/';

/**
 * The lexeme of a knowledge base, `/<id>`. Each passage has the lexeme of its knowledge base, so that the index can
 * filter by it.
 */
export const knowledgeBaseLexeme = (knowledgeBaseId: string): string => `${RESERVED}${knowledgeBaseId}`;
