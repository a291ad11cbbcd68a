/** The attributes of results narrow the console's search. */
import { expect, test } from 'vitest';
import { openConsole, signIn, visit } from '../../harness/calls/open-console.ts';
import { openAccount } from '../../harness/service/opened-account.ts';
import { openBrowser } from '../../harness/shared/browser.ts';

const browser = await openBrowser();
const { api, apiKey } = await openAccount();

test.skipIf(browser === undefined)('a value of a result leads to the documents that have it', async () => {
  if (browser === undefined) return;
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Handbook' });
  const add = (title: string, attributes: { team: string; tags: string[] }) =>
    api.importTextContent({ knowledgeBaseId, title, content: `${title}: the okapi rests.`, attributes });
  await add('First', { team: 'sales', tags: ['new', 'قائمة'] });
  await add('Second', { team: 'sales', tags: ['old'] });
  await add('Third', { team: 'people', tags: ['old'] });
  const { page, complaints } = await openConsole(browser);
  await signIn(page, apiKey);
  await page.getByRole('link', { name: 'Usage' }).waitFor();
  await visit(page, '#/search?q=okapi');
  const titles = async () => (await page.locator('.result h2').allTextContents()).toSorted();
  await expect.poll(titles).toEqual(['First', 'Second', 'Third']);
  await page.getByRole('link', { name: 'sales' }).first().click();
  await expect.poll(titles).toEqual(['First', 'Second']);
  await page.getByRole('link', { name: 'قائمة' }).click();
  await expect.poll(titles).toEqual(['First']);
  const filter = new URLSearchParams(new URL(page.url()).hash.split('?')[1]).get('filter');
  expect(filter).toBe('team = "sales" and tags contains "قائمة"');
  await page.goBack();
  await expect.poll(titles).toEqual(['First', 'Second']);
  expect(complaints).toEqual([]);
});
