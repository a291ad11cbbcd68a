/** The colours of the console: as the system has them, or as a person has chosen, in all tabs. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openConsole, signIn } from '../../harness/calls/open-console.ts';
import { openAccount } from '../../harness/service/opened-account.ts';
import { openBrowser } from '../../harness/shared/browser.ts';

const browser = await openBrowser();

/** Whether the page has light letters on a dark ground: the first part of its colour. */
const isDark = async (page: Page) =>
  Number(await page.evaluate('/\\d+/.exec(getComputedStyle(document.body).backgroundColor)[0]')) < 100;

test.skipIf(browser === undefined)(
  'the choice stays, in all tabs; without one the system decides',
  async () => {
    if (browser === undefined) return;
    const { apiKey } = await openAccount();
    const { page, complaints } = await openConsole(browser, { colorScheme: 'dark' });
    await signIn(page, apiKey);
    await page.getByRole('link', { name: 'Usage' }).waitFor();
    expect(await isDark(page)).toBe(true);
    const choose = async (name: string) => {
      await page.locator('summary[title=Colours]').click();
      await page.getByRole('radio', { name }).check();
      await page.keyboard.press('Escape');
      await page.getByRole('radio', { name }).waitFor({ state: 'hidden' });
    };
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole('link', { name: 'Usage' }).waitFor();
    await choose('Light');
    expect(await isDark(page)).toBe(false);
    await expect.poll(() => isDark(other)).toBe(false);
    await page.reload();
    await page.getByRole('link', { name: 'Usage' }).waitFor();
    expect(await isDark(page)).toBe(false);
    await choose('As the system');
    await expect.poll(() => isDark(other)).toBe(true);
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(() => isDark(page)).toBe(false);
    expect(await page.evaluate('localStorage.length')).toBe(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  },
);
