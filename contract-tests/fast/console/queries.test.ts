/** The console's page of queries. */
import { expect, test } from 'vitest';
import { openConsole, signIn, visit } from '../../harness/calls/open-console.ts';
import { openAccount } from '../../harness/service/opened-account.ts';
import { openBrowser } from '../../harness/shared/browser.ts';

const browser = await openBrowser();
const { api, apiKey } = await openAccount();

test.skipIf(browser === undefined)(
  'queries are kept on demand, chosen, run again and forgotten',
  async () => {
    if (browser === undefined) return;
    const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Handbook' });
    await api.importTextContent({ knowledgeBaseId, title: 'Leave', content: 'Paid leave is carried over.' });
    const { page, strayRequests, complaints } = await openConsole(browser);
    await signIn(page, apiKey);
    await page.getByRole('link', { name: 'Queries' }).click();
    await page.getByRole('button', { name: 'Keep the last queries' }).click();
    await page.getByText('Nothing was asked yet').waitFor();

    const scoped = { query: 'leave', knowledgeBaseIds: [knowledgeBaseId], filter: 'year >= 2025', limit: 3 };
    for (const request of [scoped, { query: 'Sabbatical' }, { query: 'sabbatical' }, { query: 'leave' }])
      await api.query(request);
    await page.getByRole('button', { name: 'Refresh' }).click();
    const links = page.locator('.queries th a');
    await expect.poll(() => links.allTextContents()).toEqual(['leave', 'sabbatical', 'Sabbatical', 'leave']);
    expect(await page.locator('.facts').textContent()).toMatch(/^4 queries3 found nothing/);

    await page.getByLabel('Show').selectOption('What found nothing');
    await expect.poll(() => links.allTextContents()).toEqual(['sabbatical', 'leave']);
    await page.getByText('2 times').waitFor();
    await links.last().click();
    await expect
      .poll(() => page.evaluate('location.hash'))
      .toBe(
        `#/search?${new URLSearchParams({
          ...{ q: 'leave', kb: knowledgeBaseId, limit: '3' },
          ...{ copies: 'true', filter: 'year >= 2025' },
        })}`,
      );
    await page.getByText('Nothing was found').waitFor();

    await visit(page, '#/queries');
    await page.getByRole('button', { name: 'Stop keeping' }).click();
    await page.getByRole('button', { name: 'Remove them' }).click();
    await page.getByText('Queries are not kept').waitFor();
    expect(await api.listQueries()).toEqual({ keptSince: null, queries: [] });
    expect(strayRequests).toEqual([]);
    expect(complaints).toEqual([]);
  },
);
