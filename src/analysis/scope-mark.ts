/**
 * The lexeme that every passage of a knowledge base holds beside those of its text, by which the index finds them.
 * It begins with a slash, as no token of a text does.
 */
export const knowledgeBaseLexeme = (knowledgeBaseId: string): string => `/${knowledgeBaseId}`;
