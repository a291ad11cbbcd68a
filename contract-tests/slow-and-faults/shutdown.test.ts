/** A server gets SIGTERM while clients send requests and an import runs. */
import { Agent, type IncomingHttpHeaders, request as openRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, test, vi } from 'vitest';
import type { Document, DocumentStatus, UploadTicket } from '../../generated/types.gen.ts';
import { toSent } from '../../src/contract-check/requests/calling.ts';
import type { OperationId } from '../../src/contract-check/spec/routes.ts';
import { isFinal } from '../harness/calls/uploading.ts';
import { measureSlowdown } from '../harness/machine/machine-slowdown.ts';
import {
  call,
  createKnowledgeBase,
  type RunningService,
  startService,
  withDataDirectory,
} from '../harness/service/service-process.ts';

/**
 * The number of clients, how long they send before the shutdown, and the size of the imported file. The service has six
 * seconds for the requests in progress: few clients, so that it can answer them beside other work on the machine.
 */
const { clients, loadMs, fileBytes } = inject('isLong')
  ? { clients: 100, loadMs: 5_000, fileBytes: 10_000_000 }
  : { clients: 8, loadMs: 1_000, fileBytes: 4_000_000 };

/** The promise is 10 s; the rest is for the load itself. Other work on the machine prolongs it. */
const END_BOUND_MS = 15_000;
const IMPORT_TIMEOUT_MS = 300_000;

type Answered = { status: number; headers: IncomingHttpHeaders };

/**
 * Sends one request over the only connection of `agent`.
 * @throws when the connection breaks
 */
function send(
  { address, apiKey }: RunningService,
  agent: Agent,
  [operationId, input]: [OperationId, object],
): Promise<Answered> {
  const { hostname, port } = new URL(address);
  const { method, path, headers, body } = toSent(operationId, input);
  const target = { hostname, port, method, path, agent, headers: { ...headers, 'x-api-key': apiKey } };
  return new Promise((resolve, reject) => {
    const sent = openRequest(target, async (response) => {
      await text(response).catch(reject);
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
    });
    sent.on('error', reject).end(body);
  });
}

/** Sends requests on one connection until the server announces its close. Adds each status to `statuses`. */
async function sendUntilClosed(
  service: RunningService,
  inputs: [OperationId, object][],
  statuses: number[],
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let turn = 0; ; turn++) {
    const { status, headers } = await send(service, agent, inputs[turn % inputs.length] ?? ['getUsage', {}]);
    statuses.push(status);
    if (headers.connection === 'close') return;
  }
}

/** Distinct words, so that there is something to index. */
function textOfSize(bytes: number): string {
  const lines: string[] = [];
  for (let length = 0, number = 0; length < bytes; number++) {
    const line = `The okapi number ${number} met the zebra number ${number * 7} at the river.\n`;
    lines.push(line);
    length += line.length;
  }
  return lines.join('').slice(0, bytes);
}

/** Begins a slow import. Returns its document once it is being processed. */
async function beginImport(
  service: RunningService,
  knowledgeBaseId: string,
  bytes: number,
): Promise<Document> {
  const file = { knowledgeBaseId, fileName: 'long.txt', size: bytes };
  const { fileId, uploadUrl } = await call<UploadTicket>(service, 'presignUploadUrl', file);
  await fetch(uploadUrl, { method: 'PUT', body: textOfSize(bytes) });
  const document = await call<Document>(service, 'importFile', { fileId });
  for (;;) {
    const { status } = await call<Document>(service, `getDocumentStatus?documentId=${document.id}`);
    if (status !== 'pending') return { ...document, status };
    await delay(20);
  }
}

/** The import's final status on a restarted server. */
async function waitForImport(service: RunningService, documentId: string): Promise<string> {
  const path = `getDocumentStatus?documentId=${documentId}&waitSeconds=30`;
  const giveUpAtMs = performance.now() + IMPORT_TIMEOUT_MS;
  let status: DocumentStatus;
  do status = (await call<Document>(service, path)).status;
  while (!isFinal(status) && performance.now() < giveUpAtMs);
  return status;
}

test('SIGTERM under load: every request is answered, exit code 0, the next start completes the import', async () => {
  await withDataDirectory(async (dataDirectory) => {
    const service = await startService(dataDirectory);
    const knowledgeBaseId = await createKnowledgeBase(service, 'Okapis');
    const document = await beginImport(service, knowledgeBaseId, fileBytes);
    expect(document.status).toBe('processing');
    const content = textOfSize(2_000);
    const inputs: [OperationId, object][] = [
      ['query', { query: 'okapi' }],
      ['importTextContent', { knowledgeBaseId, title: 'One of many', content }],
      ['getDocumentStatus', { documentId: document.id }],
    ];
    const wait: [OperationId, object] = ['getDocumentStatus', { documentId: document.id, waitSeconds: 30 }];
    const statuses: number[] = [];
    const sending = Promise.all([
      sendUntilClosed(service, [wait], statuses),
      ...Array.from({ length: clients }, () => sendUntilClosed(service, inputs, statuses)),
    ]);
    const countAnswered = () => statuses.filter((status) => status === 200).length;
    await delay(loadMs);
    await Promise.race([vi.waitUntil(() => countAnswered() > clients), sending]);
    const slowdown = measureSlowdown();
    const signalledAtMs = performance.now();
    process.kill(service.pid, 'SIGTERM');

    await sending;
    // Clients beyond the server's capacity are refused at once, as without a SIGTERM.
    const answered = countAnswered();
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(await service.ended).toBe(0);
    const endMs = Math.round(performance.now() - signalledAtMs);
    expect(endMs).toBeLessThan(END_BOUND_MS * slowdown());
    process.stdout.write(
      `SIGTERM under load: ${answered} answers, ${statuses.length - answered} refusals, none lost, ` +
        `ended in ${endMs} ms\n`,
    );

    const next = await startService(dataDirectory);
    expect(await waitForImport(next, document.id)).toBe('processed');
    await next.stop();
  });
});
