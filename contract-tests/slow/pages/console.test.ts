/**
 * Every page of the console, with content that tries to break it: no rule of axe-core is violated, nothing scrolls
 * sideways on the narrowest screens, and no text of a document becomes markup.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import pg from 'pg';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type OpenedConsole, openConsole, signIn, visit } from '../../harness/calls/open-console.ts';
import { importBytes } from '../../harness/calls/uploading.ts';
import { openAccount } from '../../harness/service/opened-account.ts';
import { databaseUrlOf } from '../../harness/service/service-database.ts';
import { openBrowser } from '../../harness/shared/browser.ts';

const browser = await openBrowser();
const { api, apiKey } = await openAccount();

/** Text that would change the page if it became markup. */
const MARKUP = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>';
/** A word that no line can hold. */
const LONG_WORD = 'x'.repeat(8_192);

const { id: knowledgeBaseId } = await api.createKnowledgeBase({
  name: MARKUP.slice(0, 100),
  description: MARKUP,
});
const { id: hostileId } = await api.importTextContent({
  knowledgeBaseId,
  title: MARKUP,
  content: `kiwi ${MARKUP} ${LONG_WORD}\n\n# ${MARKUP}\n\nkiwi`,
  attributes: { [`a${'b'.repeat(63)}`]: LONG_WORD.slice(0, 512), tags: [MARKUP, 'قائمة'] },
  sourceUrl: `https://example.com/${LONG_WORD.slice(0, 2_000)}`,
});
const { id: emptyId } = await api.createKnowledgeBase({ name: 'قاعدة فارغة' });
const shortHostileId = Buffer.from(hostileId.replaceAll(/[-_]/g, ''), 'hex').toString('base64url');
await api.importTextContent({
  knowledgeBaseId,
  title: 'الجسر القديم',
  content: 'يعبر الجسر النهر بالقرب من المدينة القديمة. kiwi 这座桥横跨旧城附近的河流。',
});
const damaged = await importBytes(api, {
  knowledgeBaseId,
  fileName: `${LONG_WORD.slice(0, 200)}.pdf`,
  bytes: Buffer.from('%PDF-1.7 and no more'),
});
await api.getDocumentStatus(damaged.id, 30);
await api.createWebhook({ url: `https://hooks.example.com/${LONG_WORD.slice(0, 1_000)}` });
await api.setQueryHistory(true);
for (const query of [MARKUP, LONG_WORD, 'الجسر القديم'])
  await api.query({
    query,
    knowledgeBaseIds: [knowledgeBaseId],
    filter: { type: 'eq', key: 'a', value: MARKUP },
  });

const filter = encodeURIComponent(
  JSON.stringify({ type: 'or', filters: [{ type: 'ne', key: 'a', value: LONG_WORD.slice(0, 99) }] }),
);
/** Each page: its address, and an element that it has when all is loaded. */
const PAGES: [name: string, hash: string, element: string][] = [
  ['the first page', '#/', '.knowledge-bases >> text=3 documents'],
  ['a knowledge base', `#/knowledge-bases/${knowledgeBaseId}`, '[role=row] >> text=Failed'],
  [
    'a knowledge base in another order, narrowed to a value',
    `#/knowledge-bases/${knowledgeBaseId}?order=-title&filter=${encodeURIComponent('tags contains قائمة')}`,
    '.facets .tag',
  ],
  ['an empty knowledge base', `#/knowledge-bases/${emptyId}`, 'text=Drop files or folders here'],
  ['a document by the address of a citation', `#/d/${shortHostileId}?passage=2`, '.passage.target'],
  ['a failed document', `#/documents/${damaged.id}`, 'text=This document cannot be searched.'],
  ['a search', `#/search?q=kiwi&context=2&filter=${filter}`, '.result'],
  ['a comparison', `#/search?q=kiwi+${LONG_WORD.slice(0, 500)}&compare=true&b.limit=1`, 'text=only here'],
  ['a search without results', '#/search?q=qqqqqq', 'text=Nothing was found'],
  ['the comparison of words and meaning', '#/compare', 'text=Your questions'],
  ['the queries', '#/queries', '.queries'],
  ['the queries that found nothing', '#/queries?show=nothing', '.queries'],
  ['the keys', '#/keys', '.key'],
  ['the webhooks', '#/webhooks', '.webhook'],
  ['the usage', '#/usage', '.measure'],
  ['no page', '#/nothing', 'text=There is no such page'],
];

/** The dialogs: the button that opens each, and the page that has it. */
const DIALOGS: [button: string, hash: string][] = [
  ['New knowledge base', '#/'],
  ['Synonyms', '#/'],
  ['Rename', `#/knowledge-bases/${knowledgeBaseId}`],
  ['Synonyms', `#/knowledge-bases/${knowledgeBaseId}`],
  ['Delete', `#/knowledge-bases/${knowledgeBaseId}`],
  ['Paste a text', `#/knowledge-bases/${knowledgeBaseId}`],
  ['From an address', `#/knowledge-bases/${knowledgeBaseId}`],
  ['Edit', `#/documents/${hostileId}`],
  ['Delete', `#/documents/${hostileId}`],
  ['Copy as code', '#/search?q=kiwi'],
  ['Stop keeping', '#/queries'],
  ['New key', '#/keys'],
  ['Revoke', '#/keys'],
  ['New webhook', '#/webhooks'],
  ['Delete the webhook', '#/webhooks'],
];

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The violated rules, with the first element of each. */
async function findViolations({ page }: OpenedConsole): Promise<string[]> {
  await page.evaluate(AXE);
  return await page.evaluate(
    "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))",
  );
}

describe.skipIf(browser === undefined).each([
  ['light', 1_600],
  ['dark', 320],
] as const)('in %s colours, on a screen of %i pixels', (colorScheme, width) => {
  let opened: OpenedConsole;
  beforeAll(async () => {
    if (browser === undefined) return;
    opened = await openConsole(browser, {
      colorScheme,
      reducedMotion: 'reduce',
      viewport: { width, height: 800 },
    });
  });

  test('the sign-in violates no rule of axe', async () => {
    await opened.page.getByLabel('API key').waitFor();
    expect(await findViolations(opened)).toEqual([]);
    await signIn(opened.page, apiKey);
    await opened.page.getByRole('link', { name: 'Usage' }).waitFor();
  });

  test.each(PAGES)('%s violates no rule of axe, and fits the screen', async (_name, hash, element) => {
    const { page } = opened;
    await visit(page, hash);
    await page.locator(element).first().waitFor();
    const closed = page.locator('.facets:not([open]) > summary');
    if ((await closed.count()) > 0) await closed.click();
    for (const summary of await page.locator('.result summary').all()) await summary.click();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    expect(await findViolations(opened)).toEqual([]);
  });

  test.each(DIALOGS)('the dialog that "%s" opens violates no rule of axe', async (name, hash) => {
    const { page } = opened;
    await visit(page, hash);
    await page.getByRole('button', { name }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    for (const add of await dialog.getByRole('button', { name: /^Add an? / }).all()) await add.click();
    expect(await findViolations(opened)).toEqual([]);
    const overflow =
      "document.querySelector('dialog').scrollWidth - document.querySelector('dialog').clientWidth";
    expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  test('the choice of colours violates no rule of axe', async () => {
    const { page } = opened;
    await visit(page, '#/usage');
    await page.locator('summary[title=Colours]').click();
    await page.getByRole('radio', { name: 'As the system' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    expect(await findViolations(opened)).toEqual([]);
  });

  test('a page whose service does not answer violates no rule of axe', async () => {
    const { page } = opened;
    await page.route('**/v1/*', (route) => route.abort());
    const pages = [`#/knowledge-bases/${knowledgeBaseId}`, `#/documents/${hostileId}`];
    for (const hash of ['#/', '#/search?q=kiwi', ...pages]) {
      await visit(page, hash);
      await page.getByText('It is tried again by itself.').first().waitFor();
      expect(await findViolations(opened)).toEqual([]);
    }
    await page.unroute('**/v1/*');
  });

  test('no text became markup, and the browser had nothing to complain about', async () => {
    expect(await opened.page.title()).not.toContain('owned');
    expect(await opened.page.locator('img').count()).toBe(0);
    expect(opened.complaints).toEqual([]);
  });
});

/** Documents of the long list. */
const MANY = 10_000;

test.skipIf(browser === undefined)(
  `a list of ${MANY} documents scrolls to its end with few elements in the page`,
  async () => {
    if (browser === undefined) return;
    const { id } = await api.createKnowledgeBase({ name: 'Many' });
    const { id: firstId } = await api.importTextContent({
      knowledgeBaseId: id,
      title: 'The first',
      content: 'a b',
    });
    const database = new pg.Client({ connectionString: databaseUrlOf(inject('dataDirectory')) });
    await database.connect();
    // By SQL, since imports would take minutes. They are older than the first one.
    await database.query(
      `INSERT INTO documents (knowledge_base_id, id, account_id, title, source, type, size_bytes, status, passage_count,
         created_at, updated_at)
       SELECT knowledge_base_id, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, account_id, 'No. ' || n,
         source, type, size_bytes, status, 0, created_at - n * interval '1 minute', updated_at
       FROM documents, generate_series(1, $1) AS n WHERE id = $2`,
      [MANY - 1, firstId.split('_')[1]],
    );
    const { page } = await openConsole(browser, { hash: `#/knowledge-bases/${id}` });
    await signIn(page, apiKey);
    const last = page.getByRole('link', { name: `No. ${MANY - 1}`, exact: true });
    await page.locator('.virtual-rows').waitFor();
    await expect
      .poll(
        async () => {
          await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
          return await last.count();
        },
        { timeout: 50_000, interval: 50 },
      )
      .toBe(1);
    expect(await page.getByRole('row').count()).toBeLessThan(60);
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe(String(MANY + 1));
    await database.query('DELETE FROM documents WHERE knowledge_base_id = $1 AND id <> $2', [
      id,
      firstId.split('_')[1],
    ]);
    await database.end();
    await page.context().close();
  },
);
