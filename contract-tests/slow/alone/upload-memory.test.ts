/** The largest uploads pass through the server without staying in its memory; messages of agents share a part of it. */
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readResidentBytes } from '../../harness/machine/processes.ts';
import { call, createKnowledgeBase, withService } from '../../harness/service/service-process.ts';

const MEBIBYTE = 1024 ** 2;
/** The contract's largest file. */
const SIZE = 50 * MEBIBYTE;
/** The allowed growth of the server meanwhile. */
const GROWTH = 20 * MEBIBYTE;
const SAMPLE_MS = 5;

/** The most bytes by which a process grows while `act` runs. */
async function growthDuring(pid: number, act: () => Promise<unknown>): Promise<number> {
  const before = readResidentBytes(pid);
  let most = before;
  const sampling = setInterval(() => {
    most = Math.max(most, readResidentBytes(pid));
  }, SAMPLE_MS);
  try {
    await act();
  } finally {
    clearInterval(sampling);
  }
  return most - before;
}

// Only Linux reports a process's memory; elsewhere readResidentBytes returns 0.
test.runIf(process.platform === 'linux')(
  'uploads of 50 MiB, two in turn and then four at once: the server grows by at most 20 MiB',
  async () => {
    await withService(async (service) => {
      const knowledgeBaseId = await createKnowledgeBase(service, 'uploads');
      const body = new Uint8Array(SIZE).fill(97);
      const upload = async () => {
        const ticket = { knowledgeBaseId, fileName: 'large.txt', size: SIZE };
        const { uploadUrl } = await call<{ uploadUrl: string }>(service, 'presignUploadUrl', ticket);
        expect((await fetch(uploadUrl, { method: 'PUT', body })).status).toBe(200);
      };
      const grownBytes = await growthDuring(service.pid, async () => {
        await upload();
        await upload();
        await Promise.all([upload(), upload(), upload(), upload()]);
      });
      expect(grownBytes).toBeLessThan(GROWTH);
    });
  },
  120_000,
);

/** Messages of nearly 4 MiB each, the most that `/mcp` takes; together they hold 160 MiB. */
const MESSAGES = 40;
const MESSAGE = `{"jsonrpc":"2.0","id":1,"method":"tools/list"${' '.repeat(4 * MEBIBYTE - 100)}`;
/** What may arrive of them at once, and what Node takes for as many connections. */
const MESSAGES_GROWTH = 60 * MEBIBYTE;
const ARRIVAL_MS = 3_000;

test.runIf(process.platform === 'linux')(
  'forty unfinished messages to /mcp: the server grows by at most 60 MiB, and then answers each of them',
  async () => {
    await withService(async ({ address, apiKey, pid }) => {
      const accepted = {
        'x-api-key': apiKey,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      };
      // The first message loads the protocol's SDK, which stays.
      const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
      const first = await fetch(`${address}/mcp`, { method: 'POST', headers: accepted, body: ping });
      expect([first.status, await first.text()]).toEqual([200, expect.stringContaining('"result":{}')]);
      const headers = { ...accepted, 'content-length': MESSAGE.length + 1 };
      const open = (): ClientRequest => request(`${address}/mcp`, { method: 'POST', agent: false, headers });
      const messages = Array.from({ length: MESSAGES }, open);
      const answers = messages.map((message) => once(message, 'response') as Promise<[IncomingMessage]>);
      const grownBytes = await growthDuring(pid, async () => {
        for (const message of messages) message.write(MESSAGE);
        await sleep(ARRIVAL_MS);
      });
      expect(grownBytes).toBeLessThan(MESSAGES_GROWTH);
      for (const message of messages) message.end('}');
      const statuses = await Promise.all(answers.map(async (answer) => (await answer)[0].statusCode));
      expect(statuses).toEqual(Array(MESSAGES).fill(200));
    });
  },
  180_000,
);
