/** The packed client in an empty project: its files and types. It works in Node, Deno, Bun and a browser. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { startFaultProxy } from '../../harness/machine/fault-proxy.ts';
import { startMock } from '../../harness/service/service-process.ts';
import { openBrowser } from '../../harness/shared/browser.ts';
import { sharedService } from '../../harness/shared/share.ts';
import { type Configuration, createProject, STORY, serveFiles } from './client-package/project.ts';
import { RUNTIMES } from './client-package/runtimes.ts';
import { startStrictStore } from './client-package/strict-store.ts';

const pages = await serveFiles(() => project.folder);
const [project, service, mock] = await Promise.all([
  createProject(),
  sharedService({ CORS_ORIGIN: pages.origin }),
  startMock(),
]);
/** The tests' service, which has no CORS_ORIGIN. */
const unshared = { address: inject('address'), apiKey: inject('apiKey') };

afterAll(async () => {
  await mock.stop();
  pages.close();
  await project.remove();
});

test('the package holds JavaScript, types, a README and the licence, and has no dependencies', async () => {
  const modules = join(project.folder, 'node_modules');
  expect(await readdir(modules)).toEqual(['.package-lock.json', 'knowledge-retrieval-client']);
  const installed = join(modules, 'knowledge-retrieval-client');
  expect((await readdir(installed)).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as object; // JSON of npm
  expect(manifest).toMatchObject({ type: 'module', sideEffects: false, license: 'MIT' });
  expect(manifest).not.toHaveProperty('dependencies');
  const files = await readdir(join(installed, 'dist'), { recursive: true, withFileTypes: true });
  const others = files.filter((file) => file.isFile() && !/\.(js|d\.ts)$/.test(file.name));
  expect(others).toEqual([]);
});

test.each<Configuration>(['page', 'server'])(
  'a project for a %s compiles under strict, which checks the types of the package too',
  (name) => {
    expect(project.compilerOutput[name]).toBe('');
  },
);

/** The outcome of useOperations, the same at the service and at the mock. */
const OPERATIONS = {
  status: 'processed',
  foundWords: true,
  isListed: true,
  invalid: 'INPUT_VALIDATION_FAILED name',
  untyped: 'INPUT_VALIDATION_FAILED query',
  unreachable: 'NETWORK_ERROR',
};
/** The outcome of useFiles at the service. */
const FILES = {
  status: 'processed',
  title: 'story.txt',
  named: 'blob.txt',
  nameless: 'INVALID_ARGUMENT',
  downloaded: ['story.txt', true],
  missing: 'FILE_UNREADABLE',
  failed: 'DOCUMENT_FAILED NO_TEXT_EXTRACTED',
  found: ['story.txt'],
  several: {
    outcomes: ['processed', 'INPUT_VALIDATION_FAILED', 'processed'],
    phases: ['queued', 'uploading', 'importing', 'processing', 'done'],
    // The share of the bytes that was reported first and last.
    sent: [0, 1],
    totals: { files: 3, done: 2, failed: 1, sentBytes: 2 },
    titles: ['blob.txt', 'empty.txt', 'long.txt', 'story.txt', 'stream.txt'],
  },
  gone: 'DOCUMENT_NOT_FOUND',
  unauthorized: 'UNAUTHORIZED',
};

describe.each(RUNTIMES)('$name', (runtime) => {
  test('uses operations and files of the service', async () => {
    const settings = { baseUrl: service.address, apiKey: service.apiKey };
    expect(await project.run(runtime, 'operations.js', settings)).toEqual(OPERATIONS);
    expect(await project.run(runtime, 'files.js', settings)).toEqual(FILES);
  });

  test('sends a file with its length, as stores of objects demand, and counts its bytes', async () => {
    const store = await startStrictStore();
    const settings = { baseUrl: store.address, apiKey: 'any' };
    const sent = await project.run(runtime, 'progress.js', settings);
    store.close();
    expect([sent, store.sizes]).toEqual([[0, 262_144, 300_000], [300_000]]);
  });

  test('uses the operations of a mock that the environment names', async () => {
    const allowed = { ...runtime, options: [...runtime.options, ...runtime.environmentOptions] };
    const variables = { KNOWLEDGE_URL: mock.address, KNOWLEDGE_API_KEY: 'any' };
    expect(await project.run(allowed, 'operations.js', {}, variables)).toEqual(OPERATIONS);
  });

  test('gets an error that names the setting and its variable where no key can be found', async () => {
    // Deno may not read the variable here.
    const variables = { KNOWLEDGE_API_KEY: runtime.environmentOptions.length > 0 ? 'any' : '' };
    await expect(project.run(runtime, 'operations.js', {}, variables)).rejects.toThrow(
      'There is no API key: pass apiKey, or set KNOWLEDGE_API_KEY (not in browsers).',
    );
  });
});

test('uploads two hundred files at once, and none is refused', async () => {
  const settings = { baseUrl: service.address, apiKey: service.apiKey };
  const { useMany } = await import(join(project.folder, 'consumer.js'));
  expect(await useMany(settings, { count: 200, untilProcessed: false })).toEqual({
    pending: 200,
    refused: 0,
  });
});

test('a call whose answer was lost is sent again, and is carried out once', async () => {
  const proxy = await startFaultProxy(service.address);
  // The consumer of the installed package. The compiler does not know it here.
  const { useLossy } = await import(join(project.folder, 'consumer.js'));
  const settings = { baseUrl: proxy.address, apiKey: service.apiKey };
  const outcome = await useLossy(settings, (index: number) => {
    // The first answer of each call is cut after 20 bytes, when the service has done the work. Other answers stay
    // whole. The result and the errors of cutNext do not matter here.
    proxy.cutNext({ answerBytes: index === 0 ? 20 : Number.POSITIVE_INFINITY }).catch(() => {});
  });
  proxy.close();
  expect(outcome).toEqual({
    counts: [2, 2, 2, 2, 2, 2, 2, 2],
    isSameDocument: true,
    withoutRetries: 'NETWORK_ERROR',
    areBothListed: true,
    // The call without retries failed, but its knowledge base exists too. Retries and keys prevent this.
    created: 2,
  });
});

const browser = await openBrowser();

describe.skipIf(browser === undefined)('a page', () => {
  /** Opens the page, which loads the installed package, and returns the value of an expression in it. */
  async function runInPage(expression: string): Promise<unknown> {
    const page = await browser?.newPage();
    if (page === undefined) return undefined;
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`${pages.origin}/page.html`);
    await page.waitForFunction('globalThis.consumer !== undefined');
    const outcome: unknown = await page.evaluate(expression);
    await page.close();
    expect(errors).toEqual([]);
    return outcome;
  }

  test('of CORS_ORIGIN uses operations and files of the service', async () => {
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

  test('sees the bytes of a file being sent, and can end that', async () => {
    const proxy = await startFaultProxy(service.address);
    proxy.setFault({ bytesPerSecond: 4_000_000 });
    const settings = JSON.stringify({ baseUrl: proxy.address, apiKey: service.apiKey });
    const outcome = await runInPage(`consumer.useInterrupted(${settings})`);
    proxy.close();
    expect(outcome).toEqual({ errorCode: 'ABORTED', isPartial: true });
  });

  test('of another origin gets an error that names CORS', async () => {
    const settings = JSON.stringify({ baseUrl: unshared.address, apiKey: unshared.apiKey, retries: 0 });
    const call = `consumer.createKnowledgeRetrieval(${settings}).getUsage()`;
    expect(await runInPage(`${call}.catch(({ errorCode, message }) => [errorCode, message])`)).toEqual([
      'NETWORK_ERROR',
      expect.stringContaining(`does not let pages of ${pages.origin} call (CORS)`),
    ]);
  });

  test('gets an error for a file by its path', async () => {
    const settings = JSON.stringify({ baseUrl: service.address, apiKey: service.apiKey });
    const files = "{ file: '/etc/hostname', empty: '' }";
    const outcome = await runInPage(`consumer.useFiles(${settings}, ${files}).catch(String)`);
    expect(outcome).toBe(
      'KnowledgeRetrievalError: A path can be read in Node, Deno and Bun only; pass a File or a Blob.',
    );
  });
});
