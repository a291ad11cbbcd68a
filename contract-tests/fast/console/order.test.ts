/** The list of documents is put in order by its columns, for which all documents are loaded. */
import { expect, test } from 'vitest';
import { openConsole, signIn, visit } from '../../harness/calls/open-console.ts';
import { createInParallel } from '../../harness/create-in-parallel.ts';
import { openAccount } from '../../harness/service/opened-account.ts';
import { openBrowser } from '../../harness/shared/browser.ts';

const browser = await openBrowser();

test.skipIf(browser === undefined)(
  'a click on a column sorts all documents, also those not yet loaded',
  async () => {
    if (browser === undefined) return;
    const { api, apiKey } = await openAccount();
    const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Handbook' });
    const add = (title: string, content: string) =>
      api.importTextContent({ knowledgeBaseId, title, content });
    // The oldest ones are beyond the first page of the list.
    await add('aardvark', 'It digs.');
    await add('Zebra', 'It has stripes, and lives in herds on the plains of Africa.');
    await createInParallel(110, (index) => add(`Mole ${index}`, 'It digs a hole.'));
    const { page, complaints } = await openConsole(browser);
    await signIn(page, apiKey);
    await page.getByRole('link', { name: 'Usage' }).waitFor();
    await visit(page, `#/knowledge-bases/${knowledgeBaseId}`);
    const titles = () => page.locator('.document-title a').allInnerTexts();
    const column = (name: string) => page.getByRole('columnheader', { name });
    expect(await column('Added').getAttribute('aria-sort')).toBe('descending');
    const first = async () => (await titles())[0];
    await expect.poll(first).toMatch(/^Mole/);
    await column('Size').getByRole('button').click();
    await expect.poll(first).toBe('Zebra');
    await column('Document').getByRole('button').click();
    await expect
      .poll(async () => (await titles()).slice(0, 4))
      .toEqual(['aardvark', 'Mole 0', 'Mole 1', 'Mole 2']);
    expect(await column('Document').getAttribute('aria-sort')).toBe('ascending');
    await column('Document').getByRole('button').click();
    await expect.poll(first).toBe('Zebra');
    await page.reload();
    await expect.poll(first).toBe('Zebra');
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByLabel('Order').selectOption('Oldest first');
    await expect.poll(first).toBe('aardvark');
    expect(complaints).toEqual([]);
    await page.context().close();
  },
);
