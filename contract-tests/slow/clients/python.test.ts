/** The client for Python, from its wheel: its promises, retries, lists and files, its types, and its frameworks. */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  answer,
  breakOff,
  refuse,
  succeed,
  useScriptedServer,
} from '../../../src/client/testing/scripted-server.ts';
import { OPERATION_IDS } from '../../../src/contract-check/spec/routes.ts';
import { expectPromises } from '../../harness/promises.ts';
import { openAccount } from '../../harness/service/opened-account.ts';
import { type RunningProgram, root, spawnProgram } from '../../harness/service/service-process.ts';
import {
  hasPackage,
  type PreparedPython,
  preparePython,
  pythonPackages,
  scripts,
} from './python/python-tools.ts';

const KINDS = ['sync', 'async'] as const;
type Kind = (typeof KINDS)[number];

const toSnake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

describe.skipIf(pythonPackages === undefined)('the client for Python', () => {
  let prepared: PreparedPython;
  beforeAll(async () => {
    prepared = await preparePython();
  });
  afterAll(async () => {
    await prepared.remove();
  });

  test('the wheel is below 100 KB, is typed, and needs httpx alone', async () => {
    expect((await stat(prepared.wheel)).size).toBeLessThan(100_000);
    const files = await prepared.listModules();
    expect(files.filter((file) => !/^knowledge_retrieval[/-]/.test(file))).toEqual([]);
    expect(files).toContain('knowledge_retrieval/py.typed');
    const info = files.find((file) => file.endsWith('/METADATA')) ?? '';
    const metadata = await readFile(join(prepared.modules, info), 'utf8');
    const needed = metadata.split('\n').filter((line) => /^Requires-Dist: (?!.*extra ==)/.test(line));
    expect(needed).toEqual(['Requires-Dist: httpx>=0.27,<1']);
  });

  test('a program that uses every operation passes mypy --strict, for the oldest Python', async () => {
    const program = join(scripts, 'every_operation.py');
    const text = await readFile(program, 'utf8');
    expect(OPERATION_IDS.filter((id) => !text.includes(`client.${toSnake(id)}(`))).toEqual([]);
    const mypy = [
      '-m',
      'mypy',
      '--strict',
      '--python-version',
      '3.10',
      '--cache-dir',
      join(prepared.folder, 'cache'),
    ];
    const modules = join(prepared.modules, 'knowledge_retrieval');
    const output = await prepared.python([...mypy, program, join(modules, '__init__.py')], {
      MYPYPATH: prepared.modules,
    });
    expect(output).toMatch(/^Success: no issues found/);
    // A mistyped argument, field and value are errors.
    const wrong = join(prepared.folder, 'wrong.py');
    await writeFile(
      wrong,
      `from knowledge_retrieval import KnowledgeRetrieval
client = KnowledgeRetrieval()
client.query("a", limits=1)
client.query("a", mode="word")
client.get_balance().credits
`,
    );
    const failed = await prepared.python([...mypy, wrong]).catch(({ stdout }: { stdout: string }) => stdout);
    expect(failed.match(/wrong\.py:(\d+): error/g)).toEqual(
      [3, 4, 5].map((line) => `wrong.py:${line}: error`),
    );
  });

  describe.each(KINDS)('%s', (kind) => {
    testPromises(kind, () => prepared);
    testCases(kind, () => prepared);
  });

  test('a webhook is verified, and one that was changed is not', async () => {
    const secret = `whsec_${Buffer.from('a secret of 24 bytes ...').toString('base64')}`;
    const body = JSON.stringify({ type: 'webhook.test', timestamp: '2026-01-15T09:31:07.245Z', data: {} });
    const now = new Date();
    const headers = {
      'Webhook-Id': 'event-1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('event-1', now, body),
    };
    const program = `import json, sys
from knowledge_retrieval import KnowledgeRetrievalError, verify_webhook
body, headers, secret = json.loads(sys.argv[1])
print(verify_webhook(body, headers, secret).type)
try: verify_webhook(body + " ", headers, secret)
except KnowledgeRetrievalError as error: print(error.error_code)`;
    const output = await prepared.python(['-c', program, JSON.stringify([body, headers, secret])]);
    expect(output.split('\n')).toEqual(['webhook.test', 'WEBHOOK_NOT_VERIFIED']);
  });

  test('without a key the error names the argument and its variable', async () => {
    const program = 'from knowledge_retrieval import KnowledgeRetrieval; KnowledgeRetrieval()';
    await expect(prepared.python(['-c', program], { KNOWLEDGE_API_KEY: '' })).rejects.toThrow(
      'There is no API key: pass api_key, or set KNOWLEDGE_API_KEY.',
    );
  });

  describe('frameworks', () => {
    const variables = async () => {
      const { address, apiKey } = await openAccount();
      return { KNOWLEDGE_URL: address, KNOWLEDGE_API_KEY: apiKey };
    };

    test.skipIf(!hasPackage('langchain_tests'))("LangChain's standard tests of retrievers pass", async () => {
      const file = join(scripts, 'langchain_standard_test.py');
      const options = [
        '-q',
        '-p',
        'no:cacheprovider',
        '-o',
        'asyncio_mode=auto',
        '--rootdir',
        prepared.folder,
        '-c',
        '/dev/null',
      ];
      const output = await prepared
        .python(['-m', 'pytest', ...options, file], await variables())
        .catch(({ stdout }: { stdout: string }) => stdout);
      expect(output).toMatch(/\n\d+ passed/);
      expect(output).not.toMatch(/failed|error/i);
    });

    test.skipIf(!hasPackage('llama_index') || !hasPackage('haystack'))(
      'LlamaIndex and Haystack find passages',
      async () => {
        const output = await prepared.python([join(scripts, 'frameworks.py')], {
          ...(await variables()),
          HAYSTACK_TELEMETRY_ENABLED: 'False',
          // Haystack loads pipelines with components of others only if their module is named.
          HAYSTACK_DESERIALIZATION_ALLOWLIST: 'knowledge_retrieval.haystack',
        });
        const found = [['We open at nine.', 'sales', true]];
        expect(JSON.parse(output.split('\n').at(-1) ?? '')).toEqual({
          llamaIndex: found,
          llamaIndexAsync: found,
          haystack: found,
          haystackAsync: found,
        });
      },
    );

    test.each([
      ['langchain', 'langchain_core', 'LangChain is not installed: pip install langchain-core'],
      ['llama_index', 'llama_index', 'LlamaIndex is not installed: pip install llama-index-core'],
      ['haystack', 'haystack', 'Haystack is not installed: pip install haystack-ai'],
    ])('%s: without its framework an import says what to install', async (module, hidden, sentence) => {
      const program = `import sys; sys.modules[${JSON.stringify(hidden)}] = None; import knowledge_retrieval.${module}`;
      await expect(prepared.python(['-c', program])).rejects.toThrow(sentence);
    });
  });

  test('pip installs the wheel into a new environment, where the Python of the pages runs', async () => {
    const environment = join(prepared.folder, 'venv');
    await prepared.python(['-m', 'venv', environment]);
    const python = (args: string[], given = {}) =>
      prepared.python(
        [
          '-c',
          'import subprocess, sys; subprocess.run(sys.argv[1:], check=True)',
          join(environment, 'bin/python'),
          ...args,
        ],
        {
          PYTHONPATH: '',
          ...given,
        },
      );
    const wheels = join(pythonPackages ?? '', 'wheels');
    await python(['-m', 'pip', 'install', '--quiet', '--no-index', '--find-links', wheels, prepared.wheel]);
    await writeFile(join(prepared.folder, 'manual.pdf'), await readFile(join(root, 'README.md')));
    await writeFile(join(prepared.folder, 'prices.xlsx'), 'Price list: a bolt costs two euros.');
    const { address, apiKey } = await openAccount();
    await mkdir(join(prepared.folder, '.data'));
    await writeFile(join(prepared.folder, '.data/api-key'), `${apiKey}\n`);
    for (const [file, printed] of [
      ['src/python-client/README.md', 'We open at nine.'],
      ['README.md', ', passage '],
      ['docs/package.md', 'prices.xlsx'],
    ] as const) {
      const [, block = ''] = /```python\n([\s\S]*?)```/.exec(await readFile(join(root, file), 'utf8')) ?? [];
      expect(block).not.toBe('');
      await writeFile(join(prepared.folder, 'block.py'), block);
      const output = await python(['block.py'], { KNOWLEDGE_URL: address, KNOWLEDGE_API_KEY: apiKey });
      expect(output).toContain(printed);
    }
  });
});

/** Each operation keeps its promises when the client stands between. */
function testPromises(kind: Kind, prepared: () => PreparedPython): void {
  let bridge: RunningProgram;
  beforeAll(async () => {
    bridge = await spawnProgram(['python3', join(scripts, 'bridge.py'), kind, inject('address')], {
      greeting: /listening on (http:\S+)/,
      environment: prepared().environment(),
    });
  });
  afterAll(async () => {
    await bridge.stop();
  });
  test.each(OPERATION_IDS)('%s keeps its promises', async (operationId) => {
    const { apiKey } = await openAccount();
    await expectPromises(operationId, { address: bridge.address, apiKey });
  });
}

const page = (id: string, nextCursor: string | null) =>
  answer(200, { success: true, data: [{ id }], pagination: { hasMore: nextCursor !== null, nextCursor } });

function testCases(kind: Kind, prepared: () => PreparedPython): void {
  const server = useScriptedServer();
  const run = async (name: string, given: object = {}, address = server.address): Promise<unknown> =>
    JSON.parse(
      await prepared().python([join(scripts, 'cases.py'), kind, name, address, JSON.stringify(given)]),
    );

  test('after 429, 503 and a broken connection a request is repeated with the same key', async () => {
    server.script = [
      refuse(429, 'RATE_LIMITED', { 'retry-after': '0' }),
      refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '0' }),
      breakOff,
      succeed({ id: 'kb' }),
    ];
    expect(await run('create')).toBe('kb');
    const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect([keys.length, new Set(keys).size, String(keys[0]).length]).toEqual([4, 1, 32]);
    expect(server.requests[0]).toMatchObject({
      path: '/v1/createKnowledgeBase',
      body: '{"name":"Handbook"}',
    });
  });

  test('after a lost answer, not found counts as deleted; without one it is an error', async () => {
    const gone = refuse(404, 'KNOWLEDGE_BASE_NOT_FOUND');
    server.script = [breakOff, gone];
    expect(await run('delete')).toBe('kb');
    server.script = [gone];
    expect(await run('delete')).toMatchObject({ errorCode: 'KNOWLEDGE_BASE_NOT_FOUND', status: 404 });
  });

  test('a query whose connection breaks is repeated twice at most, with retries 0 not at all', async () => {
    server.script = [breakOff];
    expect(await run('query')).toMatchObject({ errorCode: 'NETWORK_ERROR', status: null });
    expect(server.requests).toHaveLength(3);
    expect(await run('query', { retries: 0 })).toMatchObject({ errorCode: 'NETWORK_ERROR' });
    expect(server.requests).toHaveLength(4);
  });

  test('a list is read page by page, or one page of it', async () => {
    server.script = [page('a', 'next'), page('b', null)];
    expect(await run('items')).toEqual(['a', 'b']);
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/v1/listDocuments?knowledgeBaseId=kb&limit=1',
      '/v1/listDocuments?knowledgeBaseId=kb&limit=1&cursor=next',
    ]);
    server.script = [page('a', 'next')];
    expect(await run('page')).toEqual([1, 'next']);
    expect(server.requests).toHaveLength(3);
  });

  test('a request without an answer ends in time, and is not repeated', async () => {
    server.script = [() => {}];
    expect(await run('usage', { timeout: 2 })).toMatchObject({
      errorCode: 'REQUEST_TIMED_OUT',
      status: null,
    });
    expect(server.requests).toHaveLength(1);
  });

  test('a pause that would end after the deadline is not made', async () => {
    server.script = [refuse(429, 'RATE_LIMITED', { 'retry-after': '30' })];
    expect(await run('usage', { deadline: 5 })).toMatchObject({
      errorCode: 'RATE_LIMITED',
      retryAfterSeconds: 30,
    });
    expect(server.requests).toHaveLength(1);
  });

  test('errors name the arguments and the request', async () => {
    const data = { formErrors: [], fieldErrors: { knowledgeBaseIds: ['must have at most 100 items'] } };
    server.script = [refuse(422, 'INPUT_VALIDATION_FAILED', {}, data)];
    expect(await run('query')).toEqual({
      errorCode: 'INPUT_VALIDATION_FAILED',
      status: 422,
      fieldErrors: { knowledge_base_ids: ['must have at most 100 items'] },
      requestId: 'request-1',
      retryAfterSeconds: null,
    });
  });

  test.each([
    answer(200, '<html>'),
    answer(200, '[]'),
    answer(502, '<html>'),
    answer(302, '', { location: 'https://example.com' }),
  ])('an answer that is not the service’s is an error', async (respond) => {
    server.script = [respond];
    expect(await run('usage')).toMatchObject({ errorCode: 'UNEXPECTED_ANSWER', requestId: 'request-1' });
    expect(server.requests).toHaveLength(1);
  });

  test('fields of a newer server do no harm, and are there; fields that were not selected are missing', async () => {
    server.script = [succeed({ balance: 7, grants: [1] })];
    expect(await run('newer')).toEqual([7, [1], false]);
    server.script = [succeed([{ content: 'At nine.' }])];
    expect(await run('selected')).toEqual(['At nine.', false, null]);
  });

  test('an upload reports its progress, and sends its length', async () => {
    const ticket = {
      fileId: 'file',
      uploadUrl: `${server.address}/uploads/file`,
      method: 'PUT',
      headers: {},
    };
    const document = { id: 'document', status: 'pending', title: 'a.txt' };
    server.script = [
      succeed(ticket),
      answer(200, ''),
      succeed(document),
      succeed({ ...document, status: 'processed' }),
    ];
    const [status, steps, done] = (await run('progress')) as [string, [string, number][], number];
    expect([status, done]).toEqual(['processed', 1]);
    expect(steps).toEqual([
      ['queued', 0],
      ['uploading', 0],
      ['uploading', 0],
      ['uploading', 262_144],
      ['uploading', 300_000],
      ['importing', 300_000],
      ['processing', 300_000],
      ['done', 300_000],
    ]);
    expect(server.requests[1]?.headers).toMatchObject({ 'content-length': '300000' });
    expect(server.requests[1]?.headers).not.toHaveProperty('x-api-key');
  });

  test('files by path, as bytes and as file objects are uploaded at once; a missing one harms no other', async () => {
    const path = join(prepared().folder, 'story.txt');
    await writeFile(path, 'The lighthouse keeper counts the ships that pass at night.');
    const { address, apiKey } = await openAccount();
    expect(await run('files', { path, key: apiKey }, address)).toEqual({
      outcomes: ['processed', 'FILE_UNREADABLE', 'processed', 'processed'],
      names: ['story.txt', 'a.txt', 'story.txt', 'ferry.txt'],
      listed: ['ferry.txt', 'story.txt', 'story.txt'],
      found: ['ferry.txt', { year: 2026 }],
      downloaded: ['ferry.txt', 'The ferry leaves at noon.'],
      totals: [4, 3, 1],
    });
  });
}
