/** Ten thousand bent requests to every operation and to upload addresses: no fault, and no harm to what is there. */
import { expect, inject, test } from 'vitest';
import { bendRequests } from './hostile-requests.ts';
import { findProblems, goodRequests } from './mutation-run.ts';
import { openAccount } from './opened-account.ts';

const COUNT = 10_000;
/** Another seed bends other requests: MUTATION_SEED=2 npx vitest … */
const SEED = Number(process.env.MUTATION_SEED ?? 1);

const account = await openAccount({ knowledgeBaseLimit: 100_000, storageLimitBytes: 10_000_000_000 });
const { api, apiKey } = account;
const kept = await api.createKnowledgeBase({ name: 'Kept' });
const text = { knowledgeBaseId: kept.id, title: 'Kept', content: 'The platypus was here before.' };
const document = await api.importTextContent(text);
const { id: otherId } = await api.createKnowledgeBase({ name: 'Written to' });
const { pagination } = await api.listKnowledgeBases({ limit: 1 });
const ticket = await api.presignUploadUrl({ knowledgeBaseId: otherId, fileName: 'note.txt', size: 9 });

/** Real ids, so that requests get as far as they can; only deletions name what nobody has. */
const realIds = {
  query: { knowledgeBaseIds: [kept.id, otherId] },
  importFile: { fileId: ticket.fileId },
  presignUploadUrl: { knowledgeBaseId: otherId },
  importTextContent: { knowledgeBaseId: otherId },
  listDocuments: { knowledgeBaseId: kept.id },
  listKnowledgeBases: { cursor: pagination.nextCursor },
  getDocumentStatus: { documentId: document.id },
  getDocument: { documentId: document.id },
  listPassages: { documentId: document.id },
};

test(`no 5xx, and every answer keeps to the contract, for ${COUNT} bent requests (seed ${SEED})`, {
  timeout: 180_000,
}, async () => {
  const goods = goodRequests({ apiKey, uploadUrl: ticket.uploadUrl, realIds });
  const requests = bendRequests(goods, { count: COUNT, seed: SEED });
  const problems = await findProblems(inject('address'), requests);
  expect(problems.slice(0, 5), `${problems.length} problems; MUTATION_SEED=${SEED} repeats them`).toEqual([]);

  expect((await api.listDocuments({ knowledgeBaseId: kept.id })).data).toEqual([document]);
  const found = await api.query({ query: 'platypus', knowledgeBaseIds: [kept.id] });
  expect(found.map(({ content }) => content)).toEqual([text.content]);
  const { data: listed } = await api.listKnowledgeBases();
  expect(listed).toContainEqual(kept);
});
