/** The operations on knowledge bases. */
import { v7 as uuidv7 } from 'uuid';
import type { KnowledgeBase } from '../../../../generated/types.gen.ts';
import { knowledgeBaseLimitExceeded } from '../../../../src/terms/errors.ts';
import {
  countDocuments,
  documentsOf,
  type KnowledgeBaseRow,
  LIMITS,
  removeDocument,
  requireKnowledgeBase,
  requireMemory,
  type State,
} from '../state.ts';
import type { MemoryAnswers } from './answer-types.ts';
import { pageOf } from './pages.ts';
import { forgetKnowledgeBase } from './query-history.ts';

/** The name of this list in its cursors. */
const LIST = 'knowledge-bases';

const show = (state: State, { createdAt, updatedAt, ...rest }: KnowledgeBaseRow): KnowledgeBase => ({
  ...rest,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
  ...countDocuments(documentsOf(state, rest.id)),
});

export const knowledgeBaseAnswers = {
  createKnowledgeBase({ name, description = '' }, { state }) {
    const used = state.knowledgeBases.size;
    if (used >= LIMITS.knowledgeBases)
      throw knowledgeBaseLimitExceeded({ limit: LIMITS.knowledgeBases, used });
    requireMemory(state, name.length + description.length);
    const createdAt = state.now();
    const knowledgeBase = { id: uuidv7(), name, description, createdAt, updatedAt: createdAt };
    state.knowledgeBases.set(knowledgeBase.id, knowledgeBase);
    return { data: show(state, knowledgeBase) };
  },

  getKnowledgeBase: ({ knowledgeBaseId }, { state }) => ({
    data: show(state, requireKnowledgeBase(state, knowledgeBaseId)),
  }),

  updateKnowledgeBase({ knowledgeBaseId, name, description }, { state }) {
    const knowledgeBase = requireKnowledgeBase(state, knowledgeBaseId);
    const change = { ...(name !== undefined && { name }), ...(description !== undefined && { description }) };
    if (Object.keys(change).length > 0) Object.assign(knowledgeBase, change, { updatedAt: state.now() });
    return { data: show(state, knowledgeBase) };
  },

  deleteKnowledgeBase({ knowledgeBaseId }, { state }) {
    requireKnowledgeBase(state, knowledgeBaseId);
    state.knowledgeBases.delete(knowledgeBaseId);
    state.synonyms.delete(knowledgeBaseId);
    forgetKnowledgeBase(state, knowledgeBaseId);
    for (const document of documentsOf(state, knowledgeBaseId)) removeDocument(state, document);
    for (const [id, file] of state.files)
      if (file.knowledgeBaseId === knowledgeBaseId) state.files.delete(id);
    return { data: { id: knowledgeBaseId } };
  },

  listKnowledgeBases(input, { state }) {
    const createdAt = (row: KnowledgeBaseRow) => row.createdAt;
    const { page, pagination } = pageOf(LIST, [...state.knowledgeBases.values()], { ...input, createdAt });
    return { data: page.map((row) => show(state, row)), pagination };
  },
} satisfies Partial<MemoryAnswers>;
