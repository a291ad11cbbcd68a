/** The console's sign-out while the service is unreachable. */
import { expect, test } from 'vitest';
import { openConsole, signIn } from '../../harness/calls/open-console.ts';
import { openAccount } from '../../harness/service/opened-account.ts';
import { openBrowser } from '../../harness/shared/browser.ts';

const browser = await openBrowser();
const { apiKey } = await openAccount();

test.skipIf(browser === undefined)('a sign-out that is lost is said, and can be repeated', async () => {
  if (browser === undefined) return;
  const { page } = await openConsole(browser);
  await signIn(page, apiKey);
  const usage = page.getByRole('link', { name: 'Usage' });
  await usage.waitFor();
  await page.route('**/console/session', (route) => route.abort());
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('this browser is still signed in').waitFor();
  await page.unroute('**/console/session');
  await page.getByRole('button', { name: 'Sign out again' }).click();
  await page.getByText('this browser is still signed in').waitFor({ state: 'detached' });
  await page.reload();
  await page.getByLabel('API key').waitFor();
  expect(await usage.count()).toBe(0);
});
