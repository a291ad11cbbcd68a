/** The console's editor of synonyms. */
import { expect, test } from 'vitest';
import { openConsole, signIn, visit } from '../../harness/calls/open-console.ts';
import { openAccount } from '../../harness/service/opened-account.ts';
import { openBrowser } from '../../harness/shared/browser.ts';

const browser = await openBrowser();
const { api, apiKey } = await openAccount();

test.skipIf(browser === undefined)('synonyms are set, and the search names what it took', async () => {
  if (browser === undefined) return;
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Handbook' });
  const content = 'Unused paid time off is carried over to the next year.';
  await api.importTextContent({ knowledgeBaseId, title: 'Leave', content });
  const { page, strayRequests, complaints } = await openConsole(browser);
  await signIn(page, apiKey);
  await page.getByRole('link', { name: 'Usage' }).waitFor();
  await visit(page, `#/knowledge-bases/${knowledgeBaseId}`);

  await page.getByRole('button', { name: 'Synonyms' }).click();
  const lines = page.getByLabel('One group on each line');
  await lines.fill('PTO');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Line 1 has one term only').waitFor();
  await lines.fill('PTO, paid time off\nlaptop => ThinkPad, MacBook');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const groups = [{ terms: ['PTO', 'paid time off'] }, { terms: ['laptop'], finds: ['ThinkPad', 'MacBook'] }];
  expect(await api.getSynonyms(knowledgeBaseId)).toEqual({ groups });
  expect(await api.getSynonyms()).toEqual({ groups: [] });

  await visit(page, '#/search?q=PTO');
  await page.locator('.result summary').first().click();
  await page.getByText('a synonym of it').waitFor();
  expect(await page.locator('.result mark').allTextContents()).toEqual(['paid', 'time', 'off']);
  expect(strayRequests).toEqual([]);
  expect(complaints).toEqual([]);
});
