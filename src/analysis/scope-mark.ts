/**
 * The knowledge base lexeme: each passage has the one of its knowledge base in addition to those of its text, so that
 * the index finds them. It begins with a slash, as no token of a text does.
 */
export const knowledgeBaseLexeme = (knowledgeBaseId: string): string => `/${knowledgeBaseId}`;
