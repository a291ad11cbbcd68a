/** People use the console in a real browser: from the sign-in to the deletion of everything. */
import { text as readText } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type OpenedConsole, openConsole, signIn, visit } from '../../harness/calls/open-console.ts';
import { importBytes } from '../../harness/calls/uploading.ts';
import { smallPdf } from '../../harness/documents/small-pdf.ts';
import { createKey, openAccount } from '../../harness/service/opened-account.ts';
import { openBrowser } from '../../harness/shared/browser.ts';

const browser = await openBrowser();

const { apiKey, api, name: accountName } = await openAccount();

/** The files that are dropped. */
const FILES = {
  'restart.md':
    '# Restart\n\nA container restarts by its restart policy.\n\n# Backup\n\nCopy the files at night.',
  'hours.txt': 'The café opens at nine.',
  'damaged.pdf': '%PDF-1.7 and no more',
};

/** Drops files on the page, as a person does with the mouse. */
async function dropFiles(page: Page, files: Record<string, string>): Promise<void> {
  // As text: this project is checked without the types of browsers.
  const transfer = await page.evaluateHandle(`
    const transfer = new DataTransfer();
    for (const [name, content] of Object.entries(${JSON.stringify(files)}))
      transfer.items.add(new File([content], name));
    transfer`);
  await page.dispatchEvent('main', 'drop', { dataTransfer: transfer });
}

describe.skipIf(browser === undefined)('a person with a key of the account', () => {
  let opened: OpenedConsole;
  let page: Page;
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const text = (pattern: string | RegExp) => page.getByText(pattern).first();
  const dialog = () => page.getByRole('dialog');
  const row = (title: string) => page.getByRole('row').filter({ hasText: title });

  beforeAll(async () => {
    if (browser === undefined) return;
    opened = await openConsole(browser);
    page = opened.page;
  });

  test('signs in: a wrong key says so and stays in the field, the right one opens the console', async () => {
    await signIn(page, 'kr_wrong');
    await text('This key is wrong, revoked or expired').waitFor();
    expect(await page.getByLabel('API key').inputValue()).toBe('kr_wrong');
    await signIn(page, `  ${apiKey}\n`);
    await page.getByRole('heading', { name: 'Create your first knowledge base' }).waitFor();
  });

  test('creates a knowledge base and changes its description', async () => {
    await button('New knowledge base').click();
    await dialog().getByLabel('Name').fill('Handbook');
    await dialog().getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Handbook' }).waitFor();
    await button('Rename').click();
    await dialog().getByLabel('Description').fill('How things are done');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await text('How things are done').waitFor();
  });

  test('drops files, and sees which are searchable, and why another one failed and what helps', async () => {
    await dropFiles(page, FILES);
    await row('restart.md').getByText('Searchable').waitFor();
    await row('hours.txt').getByText('Searchable').waitFor();
    await row('damaged.pdf').getByText('Open it on your computer, save it again').waitFor();
    await text('Uploads are done').waitFor();
    await page.locator('.announcements').getByText('2 files searchable, 1 failed').waitFor();
  });

  test('files get the attributes of the upload settings; selected documents get others, keep the rest', async () => {
    await page.getByText('Upload settings').click();
    await button('Add an attribute').click();
    await page.getByLabel('Name of attribute 1').fill('team');
    await page.getByLabel('Value of attribute 1').fill('office');
    await dropFiles(page, { 'rooms.txt': 'The large room has twelve chairs.' });
    await row('rooms.txt').getByText('1 attribute').waitFor();
    await page.getByLabel('Remove attribute 1').click();
    await page.getByLabel('Select rooms.txt').check();
    await page.locator('.selection').getByRole('button', { name: 'Attributes' }).click();
    await dialog().getByLabel('Name of attribute 1').fill('floor');
    await dialog().getByLabel('Type of attribute 1').selectOption('number');
    await dialog().getByLabel('Value of attribute 1').fill('3');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().waitFor({ state: 'detached' });
    const { id } = (await api.listKnowledgeBases()).data[0] ?? { id: '' };
    const find = async () =>
      (await api.listDocuments({ knowledgeBaseId: id })).data.find(({ title }) => title === 'rooms.txt');
    const document = await find();
    expect(document?.attributes).toEqual({ team: 'office', floor: 3 });
    await visit(page, '#/search?q=chairs');
    await page.getByText('Options').click();
    await button('Add a condition').click();
    await page.getByLabel('Attribute of condition 1').fill('floor');
    await page.getByLabel('Type of condition 1').selectOption('text');
    await page.getByLabel('Value of condition 1').fill('3');
    await text('No document has floor as a text; 1 has a number.').waitFor();
    await page.getByLabel('Type of condition 1').selectOption('auto');
    await button('Search').click();
    await expect.poll(() => page.locator('.result').count()).toBe(1);
    await api.deleteDocument(document?.id ?? '');
    await visit(page, `#/knowledge-bases/${id}`);
  });

  test('a file that is dropped again replaces its earlier version, as it does for the command', async () => {
    // The page listens for drops before it has its rows.
    await row('hours.txt').waitFor();
    await dropFiles(page, { 'hours.txt': 'The café opens at ten.' });
    await text('Searchable, replaced the earlier version').waitFor();
    expect(await row('hours.txt').count()).toBe(1);
    await dropFiles(page, { 'hours.txt': FILES['hours.txt'] });
    await page.getByText('Searchable, replaced the earlier version').nth(1).waitFor();
  });

  test('pastes a text; what was typed stays when the service refuses it', async () => {
    await button('Paste a text').click();
    await dialog().getByLabel('Title').fill('Menu');
    await dialog().getByLabel('Text').fill('The café serves soup at noon.');
    await page.route('**/v1/importTextContent', (route) => route.abort());
    await dialog().getByRole('button', { name: 'Add', exact: true }).click();
    await dialog().getByText('The text was not stored.').waitFor();
    expect(await dialog().getByLabel('Text').inputValue()).toContain('soup');
    await page.unroute('**/v1/importTextContent');
    await dialog().getByRole('button', { name: 'Add', exact: true }).click();
    await row('Menu').waitFor();
  });

  test('filters the documents by status and title, and a link keeps that', async () => {
    await page.getByLabel('Status').selectOption('failed');
    await row('hours.txt').waitFor({ state: 'detached' });
    await page.reload();
    await row('damaged.pdf').waitFor();
    expect(await row('hours.txt').count()).toBe(0);
    await page.getByLabel('Status').selectOption('');
    // The list changes while the field has the focus, and must not take it.
    await page.getByLabel('Filter by title').focus();
    await page.keyboard.press('M');
    await row('hours.txt').waitFor({ state: 'detached' });
    await page.keyboard.type('EN');
    await row('Menu').waitFor();
    await row('damaged.pdf').waitFor({ state: 'detached' });
  });

  test('the search field has the focus: on its page, and after / elsewhere', async () => {
    const isFocused = () => page.evaluate(`document.activeElement?.getAttribute('name') === 'query'`);
    await page.getByRole('link', { name: 'Search', exact: true }).click();
    await expect.poll(isFocused).toBe(true);
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    expect(await isFocused()).toBe(false);
    await page.keyboard.press('/');
    await expect.poll(isFocused).toBe(true);
    expect(await page.getByLabel('Question or words').inputValue()).toBe('');
  });

  test('searches from the first page: marked words, why the score, and code without the key', async () => {
    await page.getByRole('link', { name: 'Knowledge bases' }).first().click();
    await page.getByLabel('Search all knowledge bases').fill('restart policy');
    await page.keyboard.press('Enter');
    const first = page.getByRole('listitem').filter({ hasText: 'restart.md' }).first();
    await first.waitFor();
    expect(await first.locator('mark').allInnerTexts()).toEqual(
      expect.arrayContaining(['restart', 'policy']),
    );
    await first.getByText('Why this score').click();
    await first.locator('.explanation').getByText('policy').waitFor();
    await button('Copy as code').click();
    const code = dialog().locator('pre');
    for (const language of ['curl', 'TypeScript', 'Python', 'Command']) {
      await dialog().getByText(language, { exact: true }).click();
      expect(await code.innerText()).toContain('restart policy');
      expect(await code.innerText()).not.toContain(apiKey);
    }
    await dialog().getByRole('button', { name: 'Close' }).click();
  });

  test('searches while a person types: the last word may be incomplete, Back leads to the search before', async () => {
    await visit(page, '#/search?q=restart+policy');
    const field = page.getByLabel('Question or words');
    await field.fill('');
    await field.pressSequentially('soup no');
    await page.locator('.result').getByText('noon').first().waitFor();
    expect(await field.evaluate('document.activeElement?.getAttribute("name")')).toBe('query');
    await page.goBack();
    await expect.poll(() => field.inputValue()).toBe('restart policy');
    await page.locator('.result').getByRole('link', { name: 'restart.md' }).waitFor();
  });

  test('what a document says is drawn, and neither runs nor loads anything', async () => {
    const { id } = (await api.listKnowledgeBases()).data[0] ?? { id: '' };
    const content =
      '# Walruses\n\n| Sea | Weight |\n|---|---|\n| Bering | 1,700 |\n\n- a **tusk**\n\n' +
      '<img src=x onerror="document.title=1"> ![shore](https://example.com/x.png) [link](javascript:alert(1))';
    const { id: documentId } = await api.importTextContent({
      knowledgeBaseId: id,
      title: 'Walruses',
      content,
    });
    await visit(page, '#/search?q=Bering+walrus');
    const found = page.locator('.result').first();
    await found.getByRole('cell', { name: 'Bering' }).locator('mark').waitFor();
    await found.getByText('<img src=x').waitFor();
    expect(await found.locator('img, a[href^="javascript"]').count()).toBe(0);
    expect(await found.locator('li > p, strong').allInnerTexts()).toContain('tusk');
    await api.deleteDocument(documentId);
  });

  test('a search that its filter leaves without results says how many there are without it', async () => {
    const filter = encodeURIComponent('{"type":"eq","key":"$title","value":"nothing"}');
    await visit(page, `#/search?q=café&filter=${filter}`);
    await text('Nothing matches within the filter. Without it there are 2 results.').waitFor();
    await page.getByRole('link', { name: 'Search without it' }).click();
    await expect.poll(() => page.locator('.result').count()).toBe(2);
  });

  test('compares two settings side by side', async () => {
    await visit(page, '#/search?q=café&compare=true&b.limit=1');
    const lists = page.locator('.results');
    await lists.nth(1).locator('.result').first().waitFor();
    await expect.poll(() => lists.nth(0).locator('.result').count()).toBe(2);
    expect(await lists.nth(1).locator('.result').count()).toBe(1);
    await lists.nth(0).getByText('only here').waitFor();
  });

  test('filters a search by rows, and text that is none says so', async () => {
    await visit(page, '#/search?q=café');
    await page.getByText('Options').click();
    const lowestScore = page.getByLabel('Minimum score');
    await lowestScore.pressSequentially('0.05');
    expect(await lowestScore.inputValue()).toBe('0.05');
    await button('Add a condition').click();
    await page.getByLabel('Attribute of condition 1').fill('$title');
    await page.getByLabel('Comparison of condition 1').selectOption('contains');
    await page.getByLabel('Value of condition 1').fill('Menu');
    await button('Search').click();
    await expect.poll(() => page.locator('.result').count()).toBe(1);
    await button('Edit as text').click();
    expect(await page.getByLabel('Filter as text').inputValue()).toContain('$title');
    await page.getByLabel('Filter as text').fill('$title =');
    await text('This is no filter: at character 9').waitFor();
    expect(await button('Search').isDisabled()).toBe(true);
  });

  test('reads a document passage by passage, and gives it a title and attributes', async () => {
    await visit(page, '#/search?q=restart+policy');
    await page.getByRole('link', { name: 'restart.md' }).first().click();
    await page.getByRole('heading', { name: 'restart.md' }).waitFor();
    const target = page.locator('.passage.target');
    await target.getByText('restarts by its').waitFor();
    // The heading too is found by the stem of its word.
    await expect.poll(() => target.locator('mark').allInnerTexts()).toContain('policy');
    await button('Remove the marks').click();
    await expect.poll(() => target.locator('mark').count()).toBe(0);
    await button('Edit').click();
    await dialog().getByLabel('Title').fill('Restarts');
    await dialog().getByRole('button', { name: 'Add an attribute' }).click();
    await dialog().getByLabel('Name of attribute 1').fill('year');
    await dialog().getByLabel('Type of attribute 1').selectOption('number');
    await dialog().getByLabel('Value of attribute 1').fill('2026');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Restarts' }).waitFor();
    await page.getByLabel('Attributes').getByText('2026').waitFor();
  });

  test('downloads the file as it was uploaded', async () => {
    const downloading = page.waitForEvent('download');
    await button('Download').click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('restart.md');
    expect(await readText(await download.createReadStream())).toBe(FILES['restart.md']);
  });

  test('deletes several documents, and the knowledge base only after its name was typed', async () => {
    await page.getByRole('link', { name: 'All documents' }).click();
    await page.getByLabel('Select hours.txt').check();
    await page.getByLabel('Select damaged.pdf').check();
    await page.locator('.selection').getByRole('button', { name: 'Delete' }).click();
    await dialog().getByText('Delete 2 documents?').waitFor();
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await row('hours.txt').waitFor({ state: 'detached' });
    await row('Menu').waitFor();
    await button('Delete').click();
    const confirm = dialog().getByRole('button', { name: 'Delete' });
    await dialog().getByText('2 documents').waitFor();
    await dialog().getByLabel('Type its name').fill('Handboo');
    expect(await confirm.isDisabled()).toBe(true);
    await dialog().getByLabel('Type its name').fill('Handbook');
    await confirm.click();
    await page.getByRole('heading', { name: 'Create your first knowledge base' }).waitFor();
    expect((await api.listKnowledgeBases()).data).toEqual([]);
  });

  test('sees in the list and at the document what was not read of a file, and what helps', async () => {
    const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Scans' });
    const bytes = smallPdf([[{ size: 12, text: 'The numbat eats termites.' }], []], 2_000);
    const { id } = await importBytes(api, { knowledgeBaseId, fileName: 'numbat.pdf', bytes });
    await api.getDocumentStatus(id, 30);
    await visit(page, `#/knowledge-bases/${knowledgeBaseId}`);
    await row('numbat.pdf').getByText('Page 2: without text.').waitFor();
    await page.getByRole('link', { name: 'numbat.pdf' }).click();
    const warnings = page.getByRole('list', { name: 'Not everything in this file can be found.' });
    await warnings.getByText('Page 2: without text.').waitFor();
    await warnings.getByText('scan them again with 300 dots per inch').waitFor();
    await api.deleteKnowledgeBase(knowledgeBaseId);
  });

  test('creates a webhook, whose secret is shown, and deletes it', async () => {
    await visit(page, '#/webhooks');
    await button('New webhook').click();
    await dialog().getByLabel('Address').fill('https://hooks.example.com/console');
    await dialog().getByLabel('A document was deleted').uncheck();
    await dialog().getByRole('button', { name: 'Create' }).click();
    await dialog()
      .getByText(/^whsec_/)
      .waitFor();
    await dialog().getByRole('button', { name: 'Done' }).click();
    await text('Nothing has been sent yet.').waitFor({ state: 'attached' });
    await button('Delete the webhook').click();
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { name: 'Tell your server what happens' }).waitFor();
  });

  test('sees what the account uses, also after the service was unreachable', async () => {
    await page.route('**/v1/getUsage', (route) => route.abort());
    await visit(page, '#/usage');
    await text('It is tried again by itself.').waitFor();
    await page.unroute('**/v1/getUsage');
    for (const name of ['Storage', 'Documents', 'Requests'])
      await page.getByRole('heading', { name }).waitFor();
  });

  test('is signed in in all tabs, and no script can read the key; one sign-out ends all', async () => {
    const readable = 'JSON.stringify({ ...sessionStorage, ...localStorage }) + document.cookie';
    expect(await page.evaluate(readable)).toBe('{}');
    const [cookie, ...others] = await page.context().cookies();
    expect(others).toEqual([]);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
    expect(cookie?.value).not.toContain(apiKey.slice(-40));
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole('heading', { name: 'Usage' }).waitFor();
    await button('Sign out').click();
    await page.getByLabel('API key').waitFor();
    await other.getByLabel('API key').waitFor();
    await expect.poll(() => page.context().cookies()).toEqual([]);
    await other.close();
  });

  test('everything went through operations of the spec, and the browser had nothing to complain about', () => {
    expect(opened.strayRequests).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });
});

test.skipIf(browser === undefined)('the keyboard alone is enough, and returns to where it was', async () => {
  if (browser === undefined) return;
  const { apiKey: otherKey } = await openAccount();
  const { page } = await openConsole(browser);
  const { keyboard } = page;
  const focused = () => page.evaluate('document.activeElement.innerText || document.activeElement.ariaLabel');
  await page.getByLabel('API key').waitFor();
  await keyboard.type(otherKey);
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Create your first knowledge base' }).waitFor();
  await page.getByRole('button', { name: 'New knowledge base' }).focus();
  await keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(focused).toBe('New knowledge base');
  await keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await keyboard.type('By keyboard');
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'By keyboard' }).waitFor();
  await page.goto(`${page.url().split('#')[0]}#/search`);
  await page.getByLabel('Question or words').waitFor();
  await page.locator('main .dropdown summary').focus();
  await keyboard.press('Enter');
  const choice = page.getByRole('checkbox', { name: 'By keyboard' });
  await choice.waitFor();
  await keyboard.press('Tab');
  await keyboard.press('Space');
  expect(await choice.isChecked()).toBe(true);
  await keyboard.press('Escape');
  await expect.poll(focused).toBe('By keyboard');
  await keyboard.press('Shift+Tab');
  await keyboard.type('anything');
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Nothing was found' }).waitFor();
  await page.context().close();
});

test.skipIf(browser === undefined)(
  'a key that only searches finds and reads; what it may not do is disabled with the reason',
  async () => {
    if (browser === undefined) return;
    const { id } = await api.createKnowledgeBase({ name: 'Shown' });
    await api.importTextContent({ knowledgeBaseId: id, title: 'Hours', content: 'The café opens at nine.' });
    const searchKey = await createKey(accountName, undefined, { scope: 'search' });
    const { page } = await openConsole(browser, { hash: `#/knowledge-bases/${id}` });
    await signIn(page, searchKey);
    await page.getByRole('link', { name: 'Hours' }).waitFor();
    await page.getByText('Key: search only').waitFor();
    const rename = page.getByRole('button', { name: 'Rename' });
    expect(await rename.isDisabled()).toBe(true);
    await page.getByText('This key may only search and read.').waitFor();
    expect(await page.getByRole('button', { name: 'Choose files' }).count()).toBe(0);
    await visit(page, '#/search?q=café');
    await page.getByRole('link', { name: 'Hours' }).waitFor();
    await visit(page, '#/webhooks');
    await page.getByRole('heading', { name: 'This key may not see webhooks' }).waitFor();
    await page.context().close();
  },
);

test.skipIf(browser === undefined)(
  'a key that is bound to a knowledge base writes there, and manages nothing else',
  async () => {
    if (browser === undefined) return;
    const { id } = await api.createKnowledgeBase({ name: 'Bound' });
    const boundKey = await createKey(accountName, undefined, { knowledgeBaseIds: [id] });
    const { page } = await openConsole(browser);
    await signIn(page, boundKey);
    await page.getByText('This key may write in some knowledge bases only').waitFor();
    expect(await page.getByRole('button', { name: 'New knowledge base' }).isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'Bound' }).click();
    await page.getByRole('button', { name: 'Choose files' }).waitFor();
    await dropFiles(page, { 'note.txt': 'A note.' });
    await page.getByRole('row').filter({ hasText: 'note.txt' }).getByText('Searchable').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, apiKey);
    // What one person has uploaded is nothing for the next one.
    await page.getByRole('heading', { name: 'Bound' }).waitFor();
    expect(await page.getByText('Uploads are done').count()).toBe(0);
    await page.context().close();
  },
);
