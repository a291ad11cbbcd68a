/** The client bounds how many requests are in progress at once; against a scripted server. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectTo, refuse, succeed, useScriptedServer } from './testing/scripted-server.ts';

const server = useScriptedServer();

/** Counts the requests in progress: now, the most at once, and the most at once of each path. */
function countFlights() {
  const flights = { all: 0, most: 0, mostOf: new Map<string, number>() };
  const now = new Map<string, number>();
  const change = (path: string, by: number) => {
    flights.all += by;
    now.set(path, (now.get(path) ?? 0) + by);
    flights.most = Math.max(flights.most, flights.all);
    flights.mostOf.set(path, Math.max(flights.mostOf.get(path) ?? 0, now.get(path) ?? 0));
  };
  const send: typeof fetch = async (address, init) => {
    const { pathname } = new URL(String(address));
    change(pathname, 1);
    try {
      return await fetch(address, init);
    } finally {
      change(pathname, -1);
    }
  };
  return { flights, send };
}

let file: string;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-client-'));
  file = join(folder, 'a.txt');
  await writeFile(file, 'a');
});
afterAll(() => rm(folder, { recursive: true }));

test('three hundred files at once: eight requests at a time, not all of them slow ones', async () => {
  const { flights, send } = countFlights();
  const ticket = { fileId: 'f', uploadUrl: `${server.address}/uploads/f`, method: 'PUT', headers: {} };
  const statusAt = (path = '') => (path.includes('Status') ? 'processed' : 'pending');
  server.script = [
    (response) => succeed({ id: 'd', status: statusAt(response.req.url), ...ticket })(response),
  ];
  const client = connectTo(server, { fetch: send });
  const upload = () => client.uploadFileAndPoll({ knowledgeBaseId: 'k', file });
  const documents = await Promise.all(Array.from({ length: 300 }, upload));
  expect(documents.every(({ status }) => status === 'processed')).toBe(true);
  expect(server.requests).toHaveLength(1_200);
  expect(flights.most).toBe(8);
  expect([flights.mostOf.get('/uploads/f'), flights.mostOf.get('/v1/getDocumentStatus')]).toEqual([3, 2]);
});

test('`concurrency` requests are in progress at once, by default eight', async () => {
  for (const [settings, most] of [
    [{}, 8],
    [{ concurrency: 1 }, 1],
    [{ concurrency: 20 }, 20],
  ] as const) {
    const { flights, send } = countFlights();
    server.script = [succeed([])];
    const client = connectTo(server, { ...settings, fetch: send });
    await Promise.all(Array.from({ length: 40 }, () => client.query({ query: 'why' })));
    expect(flights.most).toBe(most);
  }
});

test('a call keeps its turn during the pause after a refusal: no other call is sent meanwhile', async () => {
  server.script = [refuse(429, 'RATE_LIMITED', { 'retry-after': '1' }), succeed([])];
  const client = connectTo(server, { concurrency: 1 });
  const calls = Promise.all([client.query({ query: 'a' }), client.query({ query: 'b' })]);
  await expect.poll(() => server.requests.length).toBe(1);
  await calls;
  expect(server.requests.map(({ body }) => JSON.parse(body).query)).toEqual(['a', 'a', 'b']);
});
