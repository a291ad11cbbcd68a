/** The operations on the account itself. */

import { countDocuments, LIMITS, SETTINGS } from '../state.ts';
import type { MemoryAnswers } from './answer-types.ts';

export const accountAnswers = {
  getUsage(_input, { state }) {
    const { documentCount, passageCount, storageUsed } = countDocuments([...state.documents.values()]);
    const knowledgeBaseCount = state.knowledgeBases.size;
    return { data: { knowledgeBaseCount, storageUsed, documentCount, passageCount, limits: LIMITS } };
  },

  getBalance: (_input, { state }) => ({
    data: { balance: state.balance, creditsPerQuery: SETTINGS.creditsPerQuery },
  }),
} satisfies Partial<MemoryAnswers>;
