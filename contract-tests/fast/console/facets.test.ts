/** The values of attributes, with the numbers of their documents, narrow the search and the list of documents. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openConsole, signIn, visit } from '../../harness/calls/open-console.ts';
import { openAccount } from '../../harness/service/opened-account.ts';
import { openBrowser } from '../../harness/shared/browser.ts';

const browser = await openBrowser();
const { api, apiKey } = await openAccount();
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Handbook' });
const { id: archiveId } = await api.createKnowledgeBase({ name: 'Archive' });
const add = (owner: string, title: string, attributes: Record<string, string | number | string[]>) =>
  api.importTextContent({
    knowledgeBaseId: owner,
    title,
    content: `${title}: the okapi rests.`,
    attributes,
  });
await add(knowledgeBaseId, 'First', { team: 'sales', tags: ['new', 'قائمة'], year: 2025 });
await add(knowledgeBaseId, 'Second', { team: 'sales', tags: ['new'], year: 2026 });
await add(knowledgeBaseId, 'Third', { team: 'people', tags: ['old'] });
await add(archiveId, 'Fourth', { team: 'legal' });

const facets = (page: Page) => page.locator('.facets');
/** The values of the page with their numbers: 'sales 3'. */
const values = async (page: Page) =>
  (await facets(page).locator('label').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
const filterOf = (page: Page) =>
  new URLSearchParams(new URL(page.url()).hash.split('?')[1]).get('filter') ?? '';

test.skipIf(browser === undefined)('a search is narrowed value by value, and widened again', async () => {
  if (browser === undefined) return;
  const { page, complaints } = await openConsole(browser);
  await signIn(page, apiKey);
  await page.getByRole('link', { name: 'Usage' }).waitFor();
  await visit(page, '#/search?q=okapi');
  const titles = async () => (await page.locator('.result h2').allTextContents()).toSorted();
  await expect.poll(titles).toEqual(['First', 'Fourth', 'Second', 'Third']);
  await expect.poll(() => values(page)).toContain('sales 2');
  expect(await values(page)).toEqual(expect.arrayContaining(['legal 1', 'people 1', 'new 2', '2026 1']));
  await facets(page).getByText('Numbers are of all documents.').waitFor();
  await facets(page).getByLabel('legal').check();
  await expect.poll(titles).toEqual(['Fourth']);
  // Of several values of one attribute, one has to apply.
  await facets(page).getByLabel('sales').check();
  await expect.poll(titles).toEqual(['First', 'Fourth', 'Second']);
  expect(filterOf(page)).toBe('team in ("legal", "sales")');
  await facets(page).getByLabel('قائمة').check();
  await expect.poll(titles).toEqual(['First']);
  await page.goBack();
  await expect.poll(titles).toEqual(['First', 'Fourth', 'Second']);
  await facets(page).getByLabel('legal').uncheck();
  await facets(page).getByLabel('sales').uncheck();
  await expect.poll(titles).toEqual(['First', 'Fourth', 'Second', 'Third']);
  expect(filterOf(page)).toBe('');
  expect(complaints).toEqual([]);
  await page.context().close();
});

test.skipIf(browser === undefined)('the documents of a knowledge base are narrowed as well', async () => {
  if (browser === undefined) return;
  const { page, complaints } = await openConsole(browser);
  await signIn(page, apiKey);
  await page.getByRole('link', { name: 'Usage' }).waitFor();
  await visit(page, `#/knowledge-bases/${knowledgeBaseId}`);
  const titles = () => page.locator('.document-title a').allInnerTexts();
  await expect.poll(titles).toEqual(['Third', 'Second', 'First']);
  await expect.poll(() => values(page)).toContain('new 2');
  await facets(page).getByLabel('2026').check();
  await expect.poll(titles).toEqual(['Second']);
  await page.reload();
  await expect.poll(titles).toEqual(['Second']);
  await facets(page).getByLabel('people').check();
  await page.getByText('No document fits these filters.').waitFor();
  await facets(page).getByLabel('2026').uncheck();
  await expect.poll(titles).toEqual(['Third']);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test.skipIf(browser === undefined)(
  'where no document has attributes, there is nothing to choose',
  async () => {
    if (browser === undefined) return;
    const { id } = await api.createKnowledgeBase({ name: 'Plain' });
    await api.importTextContent({ knowledgeBaseId: id, title: 'Fifth', content: 'The okapi sleeps.' });
    const { page } = await openConsole(browser);
    await signIn(page, apiKey);
    await page.getByRole('link', { name: 'Usage' }).waitFor();
    const asked = page.waitForResponse((response) => response.url().includes('/v1/listAttributes'));
    await visit(page, `#/search?q=okapi&kb=${id}`);
    await (await asked).finished();
    await page.getByRole('link', { name: 'Fifth' }).waitFor();
    expect(await facets(page).count()).toBe(0);
    await page.context().close();
  },
);
