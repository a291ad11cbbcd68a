/**
 * `check` at services that break the contract, and at servers that cannot be checked. The package's test has the rest.
 */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, test, vi } from 'vitest';
import { type CheckOptions, checkContract } from '../../../src/contract-check/check-contract.ts';
import { deleteCreated, RUN_WEBHOOK_URL } from '../../../src/contract-check/planning/created.ts';
import { createFixtures } from '../../../src/contract-check/planning/fixtures.ts';
import { howToDelete } from '../../../src/contract-check/planning/leftovers.ts';
import { createKey, openAccount } from '../../harness/service/opened-account.ts';
import { inItems } from '../mutations/bug.ts';
import { openBugProxy } from '../mutations/bug-proxy.ts';

const folder = mkdtempSync(join(tmpdir(), 'knowledge-retrieval-check-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The checks take ten seconds, and much longer on a busy machine. */
vi.setConfig({ testTimeout: 180_000 });

/** Runs `check`. Returns its exit code and what it prints. */
async function check(address: string, apiKey: string, files: Partial<CheckOptions> = {}) {
  const printed: string[] = [];
  const print = (lines: string) => void printed.push(lines);
  const options = { timeoutSeconds: 60, print, note: print, ...files };
  const code = await checkContract({ address, apiKey }, options);
  return { code, output: printed.join('\n') };
}

/** Runs `use` with the address of a server that answers so. */
async function withServer<Result>(answer: RequestListener, use: (address: string) => Promise<Result>) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  try {
    return await use(`http://127.0.0.1:${port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test.concurrent('a refusal that repeats the key, with control characters for the terminal, shows neither', async () => {
  const apiKey = `kr_${'5'.repeat(64)}`;
  const junit = join(folder, 'refused.xml');
  const message = `\u001b]0;title\u0007 of ${apiKey}`;
  const body = JSON.stringify({ success: false, message, errorCode: 'CREDITS_EXHAUSTED', data: {} });
  const { code, output } = await withServer(
    (_request, response) => response.writeHead(402, { 'content-type': 'application/json' }).end(body),
    (address) => check(address, apiKey, { junit }),
  );
  expect(code).toBe(2);
  expect(output).toContain('title');
  expect(output + readFileSync(junit, 'utf8')).not.toContain(apiKey);
  expect(output).not.toMatch(/(?!\n)\p{Cc}/u);
});

test('the command that deletes a leftover holds no id that a shell would obey', () => {
  const ids = ['x; echo obeyed', '$(echo obeyed)', 'x\n', 'kb-1'];
  const remaining = ids.map((id) => ({ kind: 'knowledge base' as const, id }));
  expect(howToDelete(remaining, 'http://127.0.0.1:1')).toEqual([expect.stringContaining(' kb-1 --url ')]);
});

test.concurrent('a bug is named once, with its failed checks; the files have the rest, without the key', async () => {
  const { address, apiKey, api } = await openAccount();
  const proxy = await openBugProxy(address, apiKey);
  const { begin } = inItems('text for a score', 'query', (item: object) => ({ ...item, score: apiKey }));
  proxy.use(begin());
  const [junit, report] = [join(folder, 'bug.xml'), join(folder, 'bug.txt')];
  const { code, output } = await check(proxy.address, apiKey, { junit, report });
  proxy.close();
  expect(code).toBe(1);
  expect(output).toMatch(
    /^\d+ × query answered 200 against the contract: \/data\/0\/score must be number\n {4}query 200/m,
  );
  expect(output).toContain(`\nThe whole report: ${report}\nJUnit: ${junit}\nThe contract is broken: `);
  const texts = [output, readFileSync(junit, 'utf8'), readFileSync(report, 'utf8')];
  for (const text of texts) expect(text).not.toContain(apiKey);
  expect(texts[1]).toContain('<failure message="query answered 200 against');
  expect(texts[2]).toContain('POST /v1/query\n  x-api-key: …');
  expect(await api.getUsage()).toMatchObject({ knowledgeBaseCount: 0, storageUsed: 0 });
});

test.concurrent('a server that ends in the middle ends the run, which says what remains', async () => {
  const { address, apiKey } = await openAccount();
  const proxy = await openBugProxy(address, apiKey);
  let left = 60;
  proxy.use(({ answer }) => {
    left -= 1;
    if (left === 0) proxy.close();
    return answer;
  });
  const { code, output } = await check(proxy.address, apiKey);
  expect(code).toBe(2);
  expect(output).toMatch(/has not answered since the check \w+ \w+ \(connect ECONNREFUSED/);
  expect(output).toMatch(
    /\d+ could not be deleted:\n {2}npx knowledge-retrieval kb delete [\da-f-]{36} --url http/,
  );
  expect(output).toMatch(/\n\d+ of \d+ checks passed, 0 failed, \d+ were not run\.$/);
});

test.concurrent('a run ends in its time, and deletes what it has created', async () => {
  const { address, apiKey, api } = await openAccount();
  const { code, output } = await check(address, apiKey, { timeoutSeconds: 0.5 });
  expect(code).toBe(2);
  expect(output).toContain('it took longer than the 0.5 s of --timeout');
  expect(await api.getUsage()).toMatchObject({ knowledgeBaseCount: 0 });
});

test.concurrent('a knowledge base that breaks the contract is a failed check: the contract is broken', async () => {
  const answer: RequestListener = (_, response) => response.end('{"success":true,"data":{}}');
  const { code, output } = await withServer(answer, (address) => check(address, 'kr_0'));
  expect(code).toBe(1);
  expect(output).toMatch(/^1 × createKnowledgeBase answered 200 against the contract: \/data must have/m);
  expect(output).toMatch(
    /is broken, and could not be checked to its end: .*\n0 of (\d+) checks passed, 1 failed, /,
  );
});

test.concurrent('what a killed run has left: webhooks are deleted, and knowledge bases have a command', async () => {
  const { address, apiKey, api } = await openAccount();
  await createFixtures({ address, apiKey });
  await api.createWebhook({ url: RUN_WEBHOOK_URL });
  const { data } = await api.listKnowledgeBases();
  const { output } = await check(address, apiKey, { timeoutSeconds: 0.1 });
  const commands = data.map(({ id }) => `  npx knowledge-retrieval kb delete ${id} --url ${address}\n`);
  expect(output).toMatch(new RegExp(`^An earlier run has left these:\n${commands.join('')}Checking `));
  expect((await api.listWebhooks()).data).toEqual([]);
  expect((await api.listKnowledgeBases()).data).toEqual(data);
});

test.concurrent('a deletion that is refused for the rate of requests is repeated after its Retry-After', async () => {
  const seen: (string | undefined)[] = [];
  const answer: RequestListener = ({ url }, response) => {
    seen.push(url);
    response.writeHead(seen.length === 1 ? 429 : 200, { 'retry-after': '1' }).end();
  };
  const created = { made: new Set(['a', 'b']), madeWebhooks: new Set<string>() };
  const remove = (address: string) => deleteCreated({ address, apiKey: 'kr_0' }, created);
  expect(await withServer(answer, remove)).toEqual([]);
  expect(seen).toHaveLength(3);
});

const page: RequestListener = (_, response) =>
  response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>');
const silence: RequestListener = () => {};
const limited: RequestListener = (_, response) =>
  response.end(JSON.stringify({ success: true, data: { limits: { requestsPerMinute: 60 } } }));

test.concurrent.each([
  ['another server', page, /is no knowledge retrieval service: it answered 404 \(text\/html\)/],
  [
    'a server with a rate limit',
    limited,
    /allows each key 60 requests a minute, and the checks need 600\. .*have its operator raise/,
  ],
  ['a server that is silent', silence, /takes connections, but did not answer within 10 seconds\./],
])('%s is a sentence, in the JUnit file too', async (name, answer, sentence) => {
  const junit = join(folder, `${name}.xml`);
  const { code, output } = await withServer(answer, (address) => check(address, 'kr_0', { junit }));
  expect(code).toBe(2);
  expect(output).toMatch(sentence);
  expect(readFileSync(junit, 'utf8')).toMatch(sentence);
});

test.concurrent('a wrong key, a narrow key, no server and a file that cannot be written are sentences', async () => {
  const { name, address } = await openAccount();
  const searchKey = await createKey(name, undefined, { scope: 'search' });
  const junit = join(folder, 'missing/junit.xml');
  const cases: [ReturnType<typeof check>, string][] = [
    [check('http://127.0.0.1:2', 'kr_0'), 'Nothing answers at http://127.0.0.1:2 (connect ECONNREFUSED'],
    [check(address, ' '), 'The key is empty: give one'],
    [check(inject('address'), 'kr_0'), 'refuses the key: give another one.'],
    [check(address, searchKey), 'give one of the scope write, for all knowledge bases.'],
    [
      check(address, 'kr_0', { junit }),
      `--junit: ${junit} cannot be written (ENOENT: no such file or directory).`,
    ],
    [check('localhost', 'kr_0'), 'The address must begin with http:// or https://, unlike localhost.'],
  ];
  for (const [run, sentence] of cases)
    expect(await run).toEqual({ code: 2, output: expect.stringContaining(sentence) });
});
