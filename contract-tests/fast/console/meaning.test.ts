/** The console's choice between words and meaning, and what it shows of meaning in a score. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { ExplainedMeaning, QueryRequest, SearchResult } from '../../../generated/types.gen.ts';
import { openConsole, signIn, visit } from '../../harness/calls/open-console.ts';
import { openAccount } from '../../harness/service/opened-account.ts';
import { openBrowser } from '../../harness/shared/browser.ts';

const browser = await openBrowser();
const { api, apiKey } = await openAccount();
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Travel' });
await api.importTextContent({
  knowledgeBaseId,
  title: 'Hotels',
  content: 'A hotel may cost 120 euros. A hostel is accommodation too.',
});

const MEANING: ExplainedMeaning = {
  contribution: 0.12,
  similarity: 0.71,
  pairs: [
    { term: 'accommodation', word: 'hotel', similarity: 0.83 },
    { term: 'price', word: 'cost', similarity: 0.8 },
  ],
};

/** Adds MEANING to each explanation that the service answers. Returns the requests, as they arrive. */
async function addMeaning(page: Page): Promise<QueryRequest[]> {
  const sent: QueryRequest[] = [];
  await page.route('**/v1/query', async (route) => {
    sent.push(route.request().postDataJSON());
    const response = await route.fetch();
    const { data, ...answer } = (await response.json()) as { data: SearchResult[] };
    const explained = data.map(({ explanation, ...result }) => ({
      ...result,
      ...(explanation && { explanation: { ...explanation, meaning: MEANING } }),
    }));
    await route.fulfill({ response, json: { ...answer, data: explained } });
  });
  return sent;
}

test.skipIf(browser === undefined)('a search is by words only, and a link keeps that', async () => {
  if (browser === undefined) return;
  const { page, strayRequests, complaints } = await openConsole(browser);
  await signIn(page, apiKey);
  await page.getByRole('link', { name: 'Usage' }).waitFor();
  const sent = await addMeaning(page);
  await visit(page, '#/search?q=accommodation');
  await page.locator('.result').waitFor();
  await page.getByText('Options').click();
  await page.getByLabel('Search by').selectOption('words');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await expect.poll(() => sent.at(-1)?.mode).toBe('words');
  expect(sent[0]).not.toHaveProperty('mode');
  expect(page.url()).toContain('mode=words');
  await page.reload();
  await page.locator('.result').waitFor();
  expect(await page.getByLabel('Search by').inputValue()).toBe('words');
  expect([strayRequests, complaints]).toEqual([[], []]);
  await page.context().close();
});

test.skipIf(browser === undefined).each([
  ['light', 1_280],
  ['dark', 320],
] as const)('in %s colours, on %i pixels, a score names the words that are near', async (scheme, width) => {
  if (browser === undefined) return;
  const viewport = { width, height: 900 };
  const { page, complaints } = await openConsole(browser, { colorScheme: scheme, viewport });
  await signIn(page, apiKey);
  await page.getByRole('link', { name: 'Usage' }).waitFor();
  await addMeaning(page);
  await visit(page, '#/search?q=accommodation&maxPerDocument=3');
  await page.getByText('Why this score').click();
  const part = page.locator('.explanation li').filter({ hasText: 'by meaning' });
  await part.waitFor();
  expect(await part.locator('.part-name').textContent()).toBe('by meaning');
  const note = part.locator('.part-note');
  expect(await note.isVisible()).toBe(true);
  expect(await note.textContent()).toMatch(/^accommodation ≈ hotel; price ≈ cost; .+0\.710 of 1/);
  expect(await part.locator('.part-share').textContent()).toBe('+0.120');
  // All of it can be read: no letter is cut off.
  const hidden = `[...document.querySelectorAll('.part-name')].filter(
    (name) => name.scrollWidth > name.clientWidth || name.scrollHeight > name.clientHeight).length`;
  expect(await page.evaluate(hidden)).toBe(0);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  expect(complaints).toEqual([]);
  await page.context().close();
});
