/** `status` beside the shared service, and at servers that are none, are gone or come back. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, inject, test } from 'vitest';
import { spawnCommand } from '../../harness/service/command-line.ts';
import { environmentOf } from '../../harness/service/service-process.ts';

const dataDirectory = inject('dataDirectory');
const environment = environmentOf(dataDirectory, { KNOWLEDGE_URL: inject('address') });

const METRICS = 'process_start_time_seconds 1\nknowledge_retrieval_database_up 1\n';

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
});

/** Starts a server on a free port, and returns its address. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listening on TCP
}

test('shows present and past figures of the shared service as plain lines', async () => {
  await fetch(`${inject('address')}/docs`);
  const { output, complaints, code } = await spawnCommand(environment, 'status', '--interval', '0.1');
  expect([complaints, code]).toEqual(['', 0]);
  expect(output).toMatch(/^REQUESTS +in the last \d+ ms +since the start\n/m);
  expect(output).toMatch(/^docs( +\S+)+$/m);
  expect(output).toMatch(/^IMPORTS {3}\d+ waiting/m);
  expect(output).toMatch(/^127\.0\.0\.1:\d+ +\d+\.\d+\.\d+ +[\d.]+ \w+/m);
  expect(output).not.toContain('\u001b');
});

test('what is no metrics of a server is named with its reason, and the exit code is 1', async () => {
  const answers: Record<string, RequestListener> = {
    page: (_request, response) => response.end('<!doctype html>\n<p>Hello</p>\n'),
    others: (_request, response) => response.end('go_threads 7\n'),
    refusing: (_request, response) => response.writeHead(401).end('{}'),
    elsewhere: (_request, response) => response.writeHead(302, { location: inject('address') }).end(),
    truncated: (_request, response) => response.end(METRICS.slice(0, -2)),
    dying: (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write(METRICS, () => response.destroy());
    },
    endless: (_request, response) => {
      const write = () => {
        while (response.writable && response.write(`# ${'x'.repeat(65_536)}\n`));
      };
      response.on('drain', write);
      write();
    },
    whole: (_request, response) => response.end(METRICS),
  };
  const named = await Promise.all(
    Object.entries(answers).map(async ([name, answer]) => [await serve(answer), name] as const),
  );
  const addresses = [...named.map(([address]) => address), 'http://127.0.0.1:1'];
  const urls = addresses.flatMap((address) => ['--url', address]);
  const { output, code } = await spawnCommand(environment, 'status', '--json', '--interval', '0', ...urls);
  const reading = JSON.parse(output) as {
    unreachable: { address: string; reason: string }[];
    servers: unknown[];
  };
  const nameOf = new Map(named);
  const reasons = reading.unreachable.map(({ address, reason }) => [
    nameOf.get(address) ?? 'nothing',
    reason.replace(address, '…'),
  ]);
  const noMetrics = (why: string) => `…/metrics is not the metrics of a knowledge retrieval server: ${why}.`;
  expect(Object.fromEntries(reasons)).toEqual({
    page: noMetrics('line 1 is no sample'),
    others: noMetrics('it has other metrics'),
    refusing: expect.stringContaining('… refuses the token'),
    elsewhere: expect.stringContaining('…/metrics answers with status 302'),
    truncated: noMetrics('the text ends in the middle of a line'),
    dying: expect.stringContaining('No server answers at …'),
    endless: noMetrics('the answer is too long'),
    nothing: expect.stringContaining('No server answers at …'),
  });
  expect([reading.servers.length, code]).toEqual([1, 1]);
});

test('the token of this machine is not sent to others, and wrong options are sentences', async () => {
  const abroad = environmentOf(dataDirectory, { KNOWLEDGE_URL: 'https://knowledge.example.com' });
  const runs = await Promise.all([
    spawnCommand(abroad, 'status'),
    spawnCommand(environment, 'status', '--url', 'nowhere'),
    spawnCommand(environment, 'status', '--interval', '3601'),
    spawnCommand(environmentOf('/nonexistent'), 'status', '--url', 'http://127.0.0.1:1'),
    spawnCommand(environmentOf('/nonexistent'), 'status'),
  ]);
  expect(runs.map(({ complaints }) => complaints)).toEqual([
    expect.stringMatching(/^Give the token of https:/),
    expect.stringContaining('An address, please, such as http://'),
    expect.stringContaining('Seconds from 0 to 3600, please.'),
    expect.stringContaining('/nonexistent/metrics-token does not exist.'),
    expect.stringContaining('No server runs on DATA_DIR (/nonexistent). Start one:'),
  ]);
  expect(runs.map(({ code }) => code)).toEqual([1, 1, 1, 1, 1]);
});
