/** The operations on synonyms. */
import { requireValidGroups } from '../../../../src/search/synonyms/synonym-groups.ts';
import { requireKnowledgeBase, requireMemory } from '../state.ts';
import type { MemoryAnswers } from './answer-types.ts';

/** The key of the account's own groups. */
const ACCOUNT = '';

export const synonymAnswers = {
  getSynonyms({ knowledgeBaseId }, { state }) {
    if (knowledgeBaseId !== undefined) requireKnowledgeBase(state, knowledgeBaseId);
    return { data: { groups: state.synonyms.get(knowledgeBaseId ?? ACCOUNT) ?? [] } };
  },

  setSynonyms({ knowledgeBaseId, groups }, { state }) {
    requireValidGroups(groups);
    if (knowledgeBaseId !== undefined) requireKnowledgeBase(state, knowledgeBaseId);
    requireMemory(state, JSON.stringify(groups).length);
    state.synonyms.set(knowledgeBaseId ?? ACCOUNT, groups);
    return { data: { groups } };
  },
} satisfies Partial<MemoryAnswers>;
