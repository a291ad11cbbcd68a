/** Imports real and hostile files of a manifest. The search finds their phrases, or the import fails as expected. */
import { expect, test } from 'vitest';
import { importBytes, untilFinal } from '../../harness/calls/uploading.ts';
import {
  documentsMissing,
  expectedPhrases,
  mayEnd,
  readSharedDocument,
  type SharedDocument,
  sharedDocuments,
} from '../../harness/documents/shared-documents.ts';
import { openAccount } from '../../harness/service/opened-account.ts';

/** Types of files whose passages have page numbers. */
const PAGED = /^(?:pdf|pptx|xlsx|xls|ods|odp)$/;

const { api } = await openAccount();

/** Imports a file into a new knowledge base. */
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

/** One document of each format and outcome. `SHARED_DOCUMENTS=all` selects all, which takes a minute or two. */
function chosenDocuments(): SharedDocument[] {
  // An empty file cannot be uploaded: the interface requires at least one byte.
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
