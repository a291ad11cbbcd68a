/** The tools for words that find each other. */
import { z } from 'zod';
import { findKnowledgeBaseId } from '../arguments/find-knowledge-base.ts';
import { knowledgeBase } from './fields.ts';
import { answer, type Call, defineTool } from './tool.ts';

const groups = z.array(
  z.strictObject({
    terms: z.array(z.string()).describe('They find each other; with `finds`, those.'),
    finds: z.array(z.string()).exactOptional().describe('Found by `terms`, one way only.'),
  }),
);
const owner = knowledgeBase
  .exactOptional()
  .describe('Of this knowledge base, by name or id; default: of the account.');

const toOwner = async (given: string | undefined, call: Call) =>
  given === undefined ? {} : { knowledgeBaseId: await findKnowledgeBaseId(given, call) };

export const getSynonyms = defineTool({
  name: 'get_synonyms',
  title: 'Read the synonyms',
  description: 'Returns the groups of words that find each other in searches.',
  input: z.strictObject({ knowledgeBaseId: owner }),
  output: z.object({ groups }),
  async run({ knowledgeBaseId }, call) {
    const { groups } = await call.client.getSynonyms(await toOwner(knowledgeBaseId, call), call);
    return answer({ groups }, JSON.stringify(groups));
  },
});

export const setSynonyms = defineTool({
  name: 'set_synonyms',
  title: 'Set the synonyms',
  description: 'Replaces all groups: read them first with get_synonyms, and send those to keep as well.',
  input: z.strictObject({ knowledgeBaseId: owner, groups }),
  output: z.object({ groups }),
  writes: { destructive: true, idempotent: true },
  async run({ knowledgeBaseId, groups: given }, call) {
    const request = { ...(await toOwner(knowledgeBaseId, call)), groups: given };
    const { groups } = await call.client.setSynonyms(request, { signal: call.signal });
    return answer({ groups }, `${groups.length} groups count now.`);
  },
});
