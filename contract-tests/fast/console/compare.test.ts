/** The console's comparison of words and meaning by a person's own questions. */
import { text as readText } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { QueryRequest, SearchResult } from '../../../generated/types.gen.ts';
import { openConsole, signIn, visit } from '../../harness/calls/open-console.ts';
import { openAccount } from '../../harness/service/opened-account.ts';
import { openBrowser } from '../../harness/shared/browser.ts';

const browser = await openBrowser();
const { api, apiKey } = await openAccount();
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Rules' });
for (const title of ['Hotels', '=Taxi', 'Trains'])
  await api.importTextContent({ knowledgeBaseId, title, content: `A numbat rule about ${title}.` });

const QUESTIONS = ['numbat hotels', 'numbat taxi', 'numbat trains'];

/** Turns the results by words around, since the service of these tests has no vectors. Returns the requests. */
async function turnWordsAround(page: Page): Promise<QueryRequest[]> {
  const sent: QueryRequest[] = [];
  await page.route('**/v1/query', async (route) => {
    const request = route.request().postDataJSON() as QueryRequest; // the client's
    sent.push(request);
    const response = await route.fetch();
    const { data, ...answer } = (await response.json()) as { data: SearchResult[] };
    const turned = request.mode === 'words' ? data.toReversed() : data;
    await route.fulfill({ response, json: { ...answer, data: turned } });
  });
  return sent;
}

/** Asks the questions of the form, and waits for all answers. */
async function ask(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.getByRole('checkbox', { name: 'is right' }).first().waitFor();
  await page.getByRole('button', { name: 'Ask', exact: true }).waitFor();
}

async function open(options: Parameters<typeof openConsole>[1] = {}) {
  if (browser === undefined) throw new Error('there is no browser');
  const opened = await openConsole(browser, options);
  await signIn(opened.page, apiKey);
  await opened.page.getByRole('link', { name: 'Usage' }).waitFor();
  const sent = await turnWordsAround(opened.page);
  await visit(opened.page, '#/compare');
  return { ...opened, sent };
}

test.skipIf(browser === undefined)('blind, by keyboard: ask, mark, and see the figures', async () => {
  const { page, sent, strayRequests, complaints } = await open();
  const { keyboard } = page;
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await page.getByLabel('Your questions').focus();
  await keyboard.type(QUESTIONS.join('\n'));
  await button('Ask').focus();
  await keyboard.press('Enter');
  await expect.poll(() => sent.length).toBe(4 * QUESTIONS.length);
  expect(new Set(sent.map(({ mode }) => mode))).toEqual(new Set(['words', 'meaning', 'both']));
  expect(new Set(sent.map((request) => request.query))).toEqual(new Set(QUESTIONS));

  // By meaning, and without a reranker, it is as by both: so there are two columns, and neither says what it is.
  const headings = page.locator('.columns h3');
  await expect.poll(() => headings.allTextContents()).toEqual(['A', 'B']);
  const list = page.getByRole('navigation', { name: 'Questions' });
  for (const [i, title] of ['Hotels', '=Taxi', 'Trains'].entries()) {
    await page.getByRole('heading', { name: QUESTIONS[i] ?? '', exact: true }).waitFor();
    await page.getByRole('checkbox', { name: `${title} is right (column A)` }).focus();
    await keyboard.press('Space');
    // A mark counts in both columns.
    await expect.poll(() => page.getByRole('checkbox', { checked: true, name: title }).count()).toBe(2);
    if (i === 2) break;
    await button('Next question').focus();
    await keyboard.press('Enter');
  }
  await expect.poll(() => list.getByText('Marked:').count()).toBe(3);
  expect(await page.locator('.figures').isVisible()).toBe(false);
  await page.locator('summary', { hasText: 'The figures of 3 marked questions' }).focus();
  await keyboard.press('Enter');
  await page.getByText('3 questions say too little to take one: both leads by').waitFor();
  const rows = page.locator('.figures tbody tr');
  expect(await rows.locator('th').allTextContents()).toEqual(['words', 'both']);
  expect(await rows.nth(1).locator('td').nth(2).textContent()).toBe('100 %');

  await page.getByLabel('Blind').uncheck();
  await expect.poll(() => headings.allTextContents()).toEqual(['words', 'both']);
  expect([strayRequests, complaints]).toEqual([[], []]);
  await page.context().close();
});

test.skipIf(browser === undefined)(
  'questions and marks outlive the page as long as a person is signed in, and a table takes them elsewhere',
  async () => {
    const { page, sent, strayRequests, complaints } = await open();
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await page.getByLabel('Your questions').fill(`${QUESTIONS[1]}\n\n ${QUESTIONS[0]} \n`);
    await ask(page);
    await page.getByRole('checkbox', { name: '=Taxi is right' }).first().check();
    await page.reload();
    expect(await page.getByLabel('Your questions').inputValue()).toBe(`${QUESTIONS[1]}\n${QUESTIONS[0]}`);
    await ask(page);
    await page.getByRole('checkbox', { name: '=Taxi is right', checked: true }).first().waitFor();
    expect(sent).toHaveLength(16);

    const downloading = page.waitForEvent('download');
    await button('Save as a table').click();
    const download = await downloading;
    const table = await readText(await download.createReadStream());
    expect(table).toMatch(
      /^question,document,grade,title\r\nnumbat taxi,[0-9a-f-]+_[0-9a-f-]+,1,'=Taxi\r\n$/,
    );

    await button('Start again').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await expect.poll(() => page.getByLabel('Your questions').inputValue()).toBe('');
    const load = (text: string) =>
      page
        .getByLabel('Table of questions')
        .setInputFiles({ name: 'own.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await load('question,document,grade\nWhere?,Hotels,good\n');
    await page.getByRole('alert').getByText('Line 2, column grade: "good" is no number').waitFor();
    // Documents have their titles here.
    await load('question;document\nnumbat hotels;Hotels\nnumbat trains;Trains\n');
    await expect
      .poll(() => page.getByLabel('Your questions').inputValue())
      .toBe('numbat hotels\nnumbat trains');
    expect(await page.getByText('is no number').count()).toBe(0);
    await ask(page);
    await page.getByRole('checkbox', { name: 'Hotels is right', checked: true }).first().waitFor();
    await page.getByText('The figures of 2 marked questions').waitFor();

    await page
      .getByLabel('Your questions')
      .fill(Array.from({ length: 21 }, (_, i) => `question ${i}`).join('\n'));
    await page.getByText('These are 21 questions; 20 are the most here.').waitFor();
    expect(await button('Ask').isDisabled()).toBe(true);
    await button('Sign out').click();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate('localStorage.length')).toBe(0);
    expect([strayRequests, complaints]).toEqual([[], []]);
    await page.context().close();
  },
);

test.skipIf(browser === undefined)('another key does not see what this browser has kept', async () => {
  const { page } = await open();
  await page.getByLabel('Your questions').fill('numbat hotels');
  await ask(page);
  await page.context().clearCookies();
  await page.reload();
  const other = await openAccount();
  await signIn(page, other.apiKey);
  await page.getByRole('link', { name: 'Usage' }).waitFor();
  await visit(page, '#/compare');
  expect(await page.getByLabel('Your questions').inputValue()).toBe('');
  await page.context().close();
});

test.skipIf(browser === undefined).each([
  ['light', 1_280],
  ['dark', 390],
] as const)('in %s colours, on %i pixels, nothing scrolls sideways', async (colorScheme, width) => {
  const { page } = await open({ colorScheme, viewport: { width, height: 900 } });
  await page.getByLabel('Your questions').fill(QUESTIONS.join('\n'));
  await ask(page);
  await page.getByRole('checkbox', { name: 'Hotels is right' }).first().check();
  await page.locator('summary', { hasText: 'The figures' }).click();
  await page.locator('.figures table').waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  await page.context().close();
});
