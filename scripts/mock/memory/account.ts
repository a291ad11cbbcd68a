/** The operations on the account itself. */
import type { MemoryAnswers } from './answer-types.ts';
import { CREDITS_PER_QUERY, countDocuments, LIMITS } from './state.ts';

export const accountAnswers = {
  getUsage(_input, { state }) {
    const { documentCount, passageCount, storageUsed } = countDocuments([...state.documents.values()]);
    const knowledgeBaseCount = state.knowledgeBases.size;
    return { data: { knowledgeBaseCount, storageUsed, documentCount, passageCount, limits: LIMITS } };
  },

  getBalance: (_input, { state }) => ({
    data: { balance: state.balance, creditsPerQuery: CREDITS_PER_QUERY },
  }),
} satisfies Partial<MemoryAnswers>;
