/** The load counts what it promises to count: answers from when they were due, errors by code, cost. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { send, withKnowledgeBases } from '../deployment.ts';
import { type LoadPlan, measureLoad } from '../load.ts';
import { ANSWERED, NOT_SENT, runLoop } from '../loops.ts';
import { plotPanels } from '../plot.ts';
import { formatResults, plotResults } from '../report.ts';
import { summarise } from '../summary.ts';

test('a service of its own, in closed and open loop, with imports beside the queries', async () => {
  const plan: LoadPlan = {
    place: { data: undefined },
    sizes: [{ passages: 60, knowledgeBases: 2 }],
    questions: undefined,
    loops: [
      { connections: 2, seconds: 0.5 },
      { perSecond: 20, seconds: 0.5 },
    ],
    warmUpSeconds: 0.5,
    importsPerSecond: 4,
  };
  const results = await measureLoad({ progress: () => {}, note: () => {}, figure: () => {} }, plan);
  expect(results.map(({ size, loop }) => ({ ...size, ...loop }))).toEqual(
    plan.loops.map((loop) => ({ passages: 60, knowledgeBases: 2, ...loop })),
  );
  for (const { queries, imports, usedPerQuery } of results) {
    expect(queries).toMatchObject({ errors: {}, answered: queries.requests });
    expect(imports).toMatchObject({ errors: {}, answered: imports?.requests });
    expect(usedPerQuery).toMatchObject({ credits: 1, serverSeconds: expect.any(Number) });
  }
  // Ten are due. The last ones may be left out where the machine stands still as the time ends.
  expect(results[1]?.queries.requests).toBeGreaterThan(5);
  expect(formatResults(results)).toContain('open, 20/s');
  expect(plotResults(results)).toContain('60 passages in 2: 20 queries a second');
  const [first] = results;
  if (first === undefined) throw new Error('no result');
  const larger = { ...first, size: { passages: 600, knowledgeBases: 2 } };
  expect(plotResults([first, larger])).toContain('p95, 2 knowledge bases');
}, 90_000);

test('in an open loop, a stall counts for all requests that were due meanwhile', async () => {
  const stallMs = 400;
  const stalled = delay(stallMs, ANSWERED);
  const outcomes = await runLoop(() => stalled, { perSecond: 100, seconds: 1 });
  const slow = outcomes.filter(({ ms }) => ms > stallMs / 2);
  expect(slow.length).toBeGreaterThanOrEqual(stallMs / 2 / 10);
  expect(outcomes.length).toBeGreaterThan(70);
});

test('requests beyond the connections that a process may have are not sent, and count as errors', async () => {
  const answered = delay(4_000, ANSWERED); // long after the last request
  const outcomes = await runLoop(() => answered, { perSecond: 2_000, seconds: 1 });
  const { errors } = summarise(outcomes, 1);
  expect(outcomes.filter(({ code }) => code === ANSWERED)).toHaveLength(900);
  expect(errors[NOT_SENT]).toBe(outcomes.length - 900);
});

test('errors are counted by the code of the service, of another server, and of the connection', async () => {
  const server = createServer((request, response) => {
    const isRefusal = request.url === '/v1/refused';
    response.writeHead(isRefusal ? 429 : 502);
    response.end(isRefusal ? '{"success":false,"errorCode":"RATE_LIMIT_EXCEEDED"}' : '<h1>Bad gateway</h1>');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const account = { address: `http://127.0.0.1:${port}`, apiKey: 'k' };
  expect(await send(account, 'refused', {})).toBe('RATE_LIMIT_EXCEEDED');
  expect(await send(account, 'query', {})).toBe('status 502');
  server.close();
  server.closeAllConnections();
  expect(await send({ ...account, address: 'http://127.0.0.1:1' }, 'query', {})).toBe('ECONNREFUSED');
});

test('knowledge bases at a deployment are deleted, also when an account may not have them all', async () => {
  const left = new Set<string>();
  const server = createServer(async (request, response) => {
    const body = JSON.parse((await text(request)) || '{}') as { knowledgeBaseId?: string };
    const isCreation = request.url === '/v1/createKnowledgeBase';
    const isRefused = isCreation && left.size === 2;
    const id = String(left.size);
    if (isCreation && !isRefused) left.add(id);
    else left.delete(body.knowledgeBaseId ?? '');
    response.writeHead(isRefused ? 403 : 200).end(JSON.stringify({ success: !isRefused, data: { id } }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // it listens on a port
  const account = { address: `http://127.0.0.1:${port}`, apiKey: 'k', pids: [] };
  const use = vi.fn(async () => {
    expect(left.size).toBe(2);
  });
  await withKnowledgeBases(account, 2, use);
  expect([use.mock.calls.length, left.size]).toEqual([1, 0]);
  await expect(withKnowledgeBases(account, 3, use)).rejects.toThrow('403');
  expect([use.mock.calls.length, left.size]).toEqual([1, 0]);
});

test('percentiles are those of answers alone, also of each second', () => {
  const outcome = (dueMs: number, ms: number, code = ANSWERED) => ({ dueMs, lateMs: 0, ms, code });
  const summary = summarise(
    [outcome(0, 10), outcome(500, 30), outcome(900, 20), outcome(1_000, 40), outcome(1_500, 1, 'status 503')],
    2,
  );
  expect(summary).toMatchObject({
    requests: 5,
    answered: 4,
    answeredPerSecond: 2,
    errors: { 'status 503': 1 },
    ms: { p50: 20, p99: 40, longest: 40 },
  });
  expect(summary.bySecond).toEqual([
    { second: 0, answered: 3, p50: 20, p95: 30, p99: 30 },
    { second: 1, answered: 1, p50: 40, p95: 40, p99: 40 },
  ]);
});

test('a plot has a line through all points, with the first at the left and the highest at the top', () => {
  const points = [[1, 2] as const, [10, 4] as const, [100, 10] as const];
  const svg = plotPanels([
    {
      title: 'a < b',
      xLabel: 'x',
      yLabel: 'y',
      isLogarithmic: true,
      series: [{ name: 'one', colour: 0, style: 0, points }],
    },
  ]);
  expect(svg).toContain('a &lt; b');
  const [, drawn = ''] = /class="line colour0"[^>]* d="M([\d. L]+)"/.exec(svg) ?? [];
  const places = drawn.split('L').map((place) => place.split(' ').map(Number));
  expect(places).toEqual([
    [54, 170],
    [229, 136],
    [404, 34],
  ]);
});
