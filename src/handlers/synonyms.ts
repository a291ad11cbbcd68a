/** The operations on synonyms. */
import { lockKnowledgeBase, requireKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import { readGroups, replaceGroups } from '../search/synonyms/stored-groups.ts';
import { requireValidGroups } from '../search/synonyms/synonym-groups.ts';
import { keyNotPermitted } from '../terms/errors.ts';
import { parseKnowledgeBaseId } from '../terms/ids.ts';
import type { Handlers } from './handler-types.ts';

export const synonymHandlers = {
  async getSynonyms(input, { database, accountId, allowedKnowledgeBases }) {
    const knowledgeBaseId =
      input.knowledgeBaseId && parseKnowledgeBaseId(input.knowledgeBaseId, allowedKnowledgeBases);
    const [groups] = await Promise.all([
      readGroups(database, { accountId, knowledgeBaseId }),
      knowledgeBaseId && requireKnowledgeBase(database, { accountId, knowledgeBaseId }),
    ]);
    return { data: { groups } };
  },

  async setSynonyms({ groups, ...input }, { database, accountId, allowedKnowledgeBases, diskWatermark }) {
    requireValidGroups(groups);
    const knowledgeBaseId =
      input.knowledgeBaseId && parseKnowledgeBaseId(input.knowledgeBaseId, allowedKnowledgeBases);
    // The account's groups change the answers of all its keys.
    if (knowledgeBaseId === undefined && allowedKnowledgeBases !== undefined)
      throw keyNotPermitted('it is bound to single knowledge bases of the account');
    await diskWatermark.require(0);
    await database.transaction().execute(async (transaction) => {
      if (knowledgeBaseId) await lockKnowledgeBase(transaction, { accountId, knowledgeBaseId });
      await replaceGroups(transaction, { accountId, knowledgeBaseId }, groups);
    });
    return { data: { groups } };
  },
} satisfies Partial<Handlers>;
