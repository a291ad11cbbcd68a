/** The packed client in an empty project: its files and types. It works in Node, Deno, Bun and a browser. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { startFaultProxy } from '../harness/fault-proxy.ts';
import { keepService } from '../harness/kept-service.ts';
import { startMock } from '../harness/service-process.ts';
import { type Configuration, createProject, STORY, serveFiles } from './client-package/project.ts';
import { RUNTIMES } from './client-package/runtimes.ts';

const pages = await serveFiles(() => project.folder);
const [project, service, mock] = await Promise.all([
  createProject(),
  keepService({ settings: { CORS_ORIGIN: pages.origin } }),
  startMock(),
]);
/** The tests' service, which has no CORS_ORIGIN. */
const unshared = { address: inject('address'), apiKey: inject('apiKey') };

afterAll(async () => {
  await mock.stop();
  pages.close();
  await project.remove();
});

test('holds JavaScript, types, a README and the licence, and needs nothing else', async () => {
  const modules = join(project.folder, 'node_modules');
  expect(await readdir(modules)).toEqual(['.package-lock.json', 'knowledge-retrieval-client']);
  const installed = join(modules, 'knowledge-retrieval-client');
  expect((await readdir(installed)).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as object; // npm's
  expect(manifest).toMatchObject({ type: 'module', sideEffects: false, license: 'MIT' });
  expect(manifest).not.toHaveProperty('dependencies');
  const files = await readdir(join(installed, 'dist'), { recursive: true, withFileTypes: true });
  const others = files.filter((file) => file.isFile() && !/\.(js|d\.ts)$/.test(file.name));
  expect(others).toEqual([]);
});

test.each<Configuration>(['page', 'server'])(
  'is typed for a %s under strict, its own types included',
  (name) => {
    expect(project.complaints[name]).toBe('');
  },
);

/** What consumer.ts finds, at the service as at the mock. */
const OPERATIONS = {
  status: 'processed',
  foundWords: true,
  isListed: true,
  invalid: 'INPUT_VALIDATION_FAILED name',
  untyped: 'INPUT_VALIDATION_FAILED query',
  unreachable: 'NETWORK_ERROR',
};
/** What it finds at the service only. */
const FILES = {
  status: 'processed',
  title: 'story.txt',
  named: 'blob.txt',
  nameless: 'INVALID_ARGUMENT',
  missing: 'FILE_UNREADABLE',
  failed: 'DOCUMENT_FAILED NO_TEXT_EXTRACTED',
  found: ['story.txt'],
  gone: 'DOCUMENT_NOT_FOUND',
  unauthorized: 'UNAUTHORIZED',
};

describe.each(RUNTIMES)('$name', (runtime) => {
  test('uses the operations of the service, and its files', async () => {
    const settings = { baseUrl: service.address, apiKey: service.apiKey };
    expect(await project.run(runtime, 'operations.js', settings)).toEqual(OPERATIONS);
    expect(await project.run(runtime, 'files.js', settings)).toEqual(FILES);
  });

  test('uses the operations of a mock', async () => {
    const settings = { baseUrl: mock.address, apiKey: 'any' };
    expect(await project.run(runtime, 'operations.js', settings)).toEqual(OPERATIONS);
  });
});

test('uploads two hundred files at once, and none is refused', async () => {
  const settings = { baseUrl: service.address, apiKey: service.apiKey };
  const { useMany } = await import(join(project.folder, 'consumer.js'));
  expect(await useMany(settings, { count: 200, untilProcessed: false })).toEqual({
    pending: 200,
    refused: 0,
  });
}, 60_000);

test('sends what has lost its answer again, and has done it once', async () => {
  const proxy = await startFaultProxy(service.address);
  // By the package as it is installed, of which the compiler here knows nothing.
  const { useLossy } = await import(join(project.folder, 'consumer.js'));
  const settings = { baseUrl: proxy.address, apiKey: service.apiKey };
  const outcome = await useLossy(settings, (index: number) => {
    // The first answer breaks off behind its first bytes, when all of it has happened; every other one is whole.
    // What the server has sent is not looked at, nor whether all of it came that far.
    proxy.cutNext({ answerBytes: index === 0 ? 20 : Number.POSITIVE_INFINITY }).catch(() => {});
  });
  proxy.close();
  expect(outcome).toEqual({
    counts: [2, 2, 2, 2, 2, 2, 2, 2],
    isOne: true,
    once: 'NETWORK_ERROR',
    listed: true,
    // The one that nobody sent again was made all the same, which is what retries and keys are for.
    made: 2,
  });
});

const browser = await openBrowser();
afterAll(() => browser?.close());

describe.skipIf(browser === undefined)('a page', () => {
  /** Opens the page, which loads the package as it is installed, and runs an expression over what it exports. */
  async function runInPage(expression: string): Promise<unknown> {
    const page = await browser?.newPage();
    if (page === undefined) return undefined;
    const broken: string[] = [];
    page.on('pageerror', (error) => broken.push(error.message));
    await page.goto(`${pages.origin}/page.html`);
    await page.waitForFunction('globalThis.consumer !== undefined');
    const outcome: unknown = await page.evaluate(expression);
    await page.close();
    expect(broken).toEqual([]);
    return outcome;
  }

  test('of CORS_ORIGIN uses the operations of the service, and its files', async () => {
    const settings = JSON.stringify({ baseUrl: service.address, apiKey: service.apiKey });
    expect(await runInPage(`consumer.useOperations(${settings})`)).toEqual(OPERATIONS);
    const files = `{ file: new File(['${STORY}'], 'story.txt'), empty: new File([' '], 'empty.txt') }`;
    expect(await runInPage(`consumer.useFiles(${settings}, ${files})`)).toEqual({
      ...FILES,
      missing: 'INVALID_ARGUMENT',
    });
  });

  test('uses the operations of a mock', async () => {
    const settings = JSON.stringify({ baseUrl: mock.address, apiKey: 'any' });
    expect(await runInPage(`consumer.useOperations(${settings})`)).toEqual(OPERATIONS);
  });

  test('of another origin learns that CORS may keep it out', async () => {
    const settings = JSON.stringify({ baseUrl: unshared.address, apiKey: unshared.apiKey, retries: 0 });
    const call = `consumer.createKnowledgeRetrieval(${settings}).getUsage()`;
    expect(await runInPage(`${call}.catch(({ errorCode, message }) => [errorCode, message])`)).toEqual([
      'NETWORK_ERROR',
      expect.stringContaining(`does not let pages of ${pages.origin} call (CORS)`),
    ]);
  });

  test('learns that it cannot read a path', async () => {
    const settings = JSON.stringify({ baseUrl: service.address, apiKey: service.apiKey });
    const files = "{ file: '/etc/hostname', empty: '' }";
    const outcome = await runInPage(`consumer.useFiles(${settings}, ${files}).catch(String)`);
    expect(outcome).toBe(
      'KnowledgeRetrievalError: A path can be read in Node, Deno and Bun only; pass a File or a Blob.',
    );
  });
});
