/** The console's page of keys. */
import { expect, test } from 'vitest';
import { createCaller } from '../../../src/contract-check/requests/calling.ts';
import { openConsole, signIn, visit } from '../../harness/calls/open-console.ts';
import { openAccount } from '../../harness/service/opened-account.ts';
import { openBrowser } from '../../harness/shared/browser.ts';

const browser = await openBrowser();
const { api, apiKey, address } = await openAccount();

test.skipIf(browser === undefined)(
  'a key is created with a filter, shown once, listed and revoked',
  async () => {
    if (browser === undefined) return;
    const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Handbook 知识' });
    const add = (title: string, team: string) =>
      api.importTextContent({ knowledgeBaseId, title, content: 'The café opens.', attributes: { team } });
    await add('Shown', 'sales');
    await add('Hidden', 'board');
    const { page, strayRequests, complaints } = await openConsole(browser);
    await signIn(page, apiKey);
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByText('this console').waitFor();

    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('sales page');
    await page.getByLabel('It may').selectOption('write');
    await page.getByLabel('Handbook 知识').check();
    await page.getByLabel('Only documents with').fill('team => sales');
    await page.getByText('It is wrong at character 7').waitFor();
    expect(await page.getByRole('button', { name: 'Create' }).isDisabled()).toBe(true);
    await page.getByLabel('Only documents with').fill('team = sales');
    expect(await page.getByLabel('It may').isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Create' }).click();
    const made = (await page.locator('.new-key code').textContent()) ?? '';
    const reader = createCaller({ address, apiKey: made });
    const { data } = await reader.api.listDocuments({ knowledgeBaseId });
    expect(data.map(({ title }) => title)).toEqual(['Shown']);
    await page.getByRole('button', { name: 'Done' }).click();

    const card = page.locator('.key', { hasText: 'sales page' });
    const facts = (await card.textContent()) ?? '';
    for (const fact of ['searches and reads', 'Handbook 知识', 'team = "sales"'])
      expect(facts).toContain(fact);
    await page.getByRole('button', { name: 'Revoke the key sales page' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await card.waitFor({ state: 'detached' });
    await page.getByLabel('Show 1 revoked or expired').check();
    await card.getByText('revoked').first().waitFor();
    await expect.poll(async () => (await reader.request('getUsage')).status).toBe(401);

    await visit(page, '#/keys');
    const own = page.locator('.key', { hasText: 'this console' });
    await own.getByRole('button').click();
    await page.getByText('the console will ask for another one').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByLabel('API key').waitFor();
    expect(strayRequests).toEqual([]);
    expect(complaints).toEqual([]);
  },
);
