/** The console while OCR reads a scan: at the upload and at the document it says which page is being read. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { DocumentDetails, DocumentStatusReport } from '../../../generated/types.gen.ts';
import { openConsole, signIn, visit } from '../../harness/calls/open-console.ts';
import { openAccount } from '../../harness/service/opened-account.ts';
import { openBrowser } from '../../harness/shared/browser.ts';

const browser = await openBrowser();
const { api, apiKey } = await openAccount();
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Archive' });

const REPORTS = /\/v1\/getDocument(?:Status)?\b/;

/** Lets each answer about a document say that OCR has read two pages of twelve. Its text is read in a moment. */
async function delayScan(page: Page): Promise<void> {
  await page.route(REPORTS, async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { data: DocumentDetails | DocumentStatusReport };
    const isReport = route.request().url().includes('getDocumentStatus');
    const data = {
      ...answer.data,
      status: 'processing',
      ...(isReport && { recognition: { done: 2, of: 12 } }),
    };
    await route.fulfill({ response, json: { ...answer, data } });
  });
}

test.skipIf(browser === undefined)('a person sees which page of a scan is being read', async () => {
  if (browser === undefined) return;
  const { page, complaints } = await openConsole(browser);
  await signIn(page, apiKey);
  await page.getByRole('link', { name: 'Usage' }).waitFor();
  await delayScan(page);
  await visit(page, `#/knowledge-bases/${knowledgeBaseId}`);
  const file = { name: 'deed.txt', mimeType: 'text/plain', buffer: Buffer.from('The deed of the mill.') };
  await page.locator('input[type=file]').first().setInputFiles(file);
  const upload = page.locator('.upload');
  await upload.getByText('Scan: page 3 of 12 is being read').waitFor();
  expect(await upload.getByRole('progressbar').getAttribute('value')).toMatch(/^0\.583/);

  await upload.getByRole('link', { name: 'deed.txt' }).click();
  await page.getByText('It is a scan: page 3 of 12 is being read.').waitFor();
  await page.unrouteAll({ behavior: 'wait' }); // an answer may be under way
  await page.getByText('The deed of the mill.').waitFor();
  await page.goBack();
  await upload.getByText('Searchable').waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
});
