/** Real and hostile files of the manifest through the API: their phrases are found, or their reason comes back. */
import { expect, test } from 'vitest';
import { openAccount } from '../harness/opened-account.ts';
import {
  documentsMissing,
  expectedPhrases,
  mayEnd,
  readSharedDocument,
  type SharedDocument,
  sharedDocuments,
} from '../harness/shared-documents.ts';
import { importBytes, untilFinal } from '../harness/uploading.ts';

const PAGED = /^(?:pdf|pptx|xlsx|xls|ods|odp)$/;

const { api } = await openAccount();

/** Imports a file into a knowledge base of its own. */
async function importShared({ file }: SharedDocument) {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: file });
  const bytes = await readSharedDocument(file);
  const document = await importBytes(api, { knowledgeBaseId, fileName: file, bytes });
  return { knowledgeBaseId, ...(await untilFinal(api, document.id)) };
}

async function checkFound(
  document: SharedDocument,
  { knowledgeBaseId, id }: { knowledgeBaseId: string; id: string },
) {
  const { phrases, least } = expectedPhrases(document);
  const found = await Promise.all(
    phrases.map(async (query) => {
      const [best] = await api.query({ query, knowledgeBaseIds: [knowledgeBaseId] });
      if (PAGED.test(best?.type ?? '')) expect(best?.location?.page).toBeGreaterThanOrEqual(1);
      return best?.document_id === id;
    }),
  );
  expect(
    found.filter(Boolean).length,
    `${phrases.filter((_, i) => !found[i]).join(' | ')} not found`,
  ).toBeGreaterThanOrEqual(least);
}

/** One document of each format and outcome; all of them with `SHARED_DOCUMENTS=all`, in a minute or two. */
function chosenDocuments(): SharedDocument[] {
  // A size of 0 is no upload: the interface's smallest is one byte.
  const uploaded = sharedDocuments.filter(({ file }) => file !== 'empty.docx');
  if (process.env.SHARED_DOCUMENTS === 'all') return uploaded;
  const kindOf = ({ format, outcome }: SharedDocument) => `${format} ${outcome}`;
  return [...Map.groupBy(uploaded, kindOf).values()].flatMap(([first]) => first ?? []);
}

if (documentsMissing) test.skip(`shared documents: ${documentsMissing}`, () => {});
else
  test.for(chosenDocuments())('$file: $outcome', async (document) => {
    const report = await importShared(document);
    expect(report).toSatisfy((report) => mayEnd(document, report));
    if (report.status === 'processed') await checkFound(document, report);
  });
