/** Opens the console in a browser, and keeps what it asks for and what the browser complains about. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { inject } from 'vitest';
import { OPERATION_IDS, ROUTES } from '../../../src/contract-check/spec/routes.ts';

/** Requests besides the operations of the spec: the page, its files, the sign-in by a code, and bytes of files. */
const ROUTES_BESIDE = [
  /^GET \/$/,
  /^POST \/console\/sign-in$/,
  /^(GET|POST|DELETE) \/console\/session$/,
  /^GET \/console\/console-\w+\.(js|css)$/,
  /^PUT \/uploads\/[\w-]+$/,
];

const OPERATIONS = new Set(OPERATION_IDS.map((id) => `${ROUTES[id].method} ${ROUTES[id].path}`));

/** A busy machine takes seconds to draw a page. */
const WAIT_MAX_MS = 60_000;

export type OpenedConsole = {
  page: Page;
  /** Requests that are neither in the spec nor in ROUTES_BESIDE, or that go to another server. */
  strayRequests: string[];
  /** Errors of the page and of its Content-Security-Policy. */
  complaints: string[];
};

/** Opens the console at `hash`. Nobody is signed in. */
export async function openConsole(
  browser: Browser,
  {
    hash = '',
    address = inject('address'),
    ...options
  }: BrowserContextOptions & { hash?: string; address?: string } = {},
): Promise<OpenedConsole> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MAX_MS);
  const [strayRequests, complaints]: [string[], string[]] = [[], []];
  page.on('request', (request) => {
    const { origin, pathname, protocol } = new URL(request.url());
    if (protocol === 'data:') return;
    const sent = `${request.method()} ${pathname}`;
    const isKnown = OPERATIONS.has(sent) || ROUTES_BESIDE.some((route) => route.test(sent));
    if (origin !== address || !isKnown) strayRequests.push(`${origin} ${sent}`);
  });
  page.on('console', (message) => {
    // The browser logs each answer that is no success. The page shows those.
    if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${address}/${hash}`);
  return { page, strayRequests, complaints };
}

/** Signs in on the page that asks for a key. */
export async function signIn(page: Page, apiKey: string): Promise<void> {
  await page.getByLabel('API key').fill(apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Shows the page with this address, and waits until it has loaded. */
export async function visit(page: Page, hash: string): Promise<void> {
  await page.goto(`${inject('address')}/${hash}`);
  await page.locator('main').waitFor();
  await page.locator('.loading, [aria-busy=true]').first().waitFor({ state: 'detached' });
}
