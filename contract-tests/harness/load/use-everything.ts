/** A load of every operation through a balancer: each request may reach another server than the last. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Api } from '../../../src/contract-check/requests/api.ts';
import type { Caller } from '../../../src/contract-check/requests/calling.ts';
import { isFinal } from '../calls/uploading.ts';

/** The longest wait of getDocumentStatus. */
const WAIT_SECONDS = 30;

/** Sends the same request twice, to different servers. Asserts that it has one effect. Returns the created id. */
async function createTwice({ request }: Caller, name: string): Promise<string> {
  const key = { 'idempotency-key': randomUUID() };
  const [first, second] = await Promise.all([
    request('createKnowledgeBase', { name }, key),
    request('createKnowledgeBase', { name }, key),
  ]);
  expect([first.status, second.status, second.text]).toEqual([200, 200, first.text]);
  return (first.body as { data: { id: string } }).data.id; // the spec has been checked
}

/** Imports a file. Each step may reach another server than the step before. Returns the document's id. */
async function importFile(api: Api, knowledgeBaseId: string, content: string): Promise<string> {
  const ticket = await api.presignUploadUrl({
    knowledgeBaseId,
    fileName: 'a.txt',
    size: Buffer.byteLength(content),
  });
  const { status } = await fetch(ticket.uploadUrl, { method: 'PUT', body: content });
  expect(status).toBe(200);
  const { id } = await api.importFile(ticket.fileId);
  let report = await api.getDocumentStatus(id, WAIT_SECONDS);
  // A server that shuts down answers long polls at once. Their clients then poll another server.
  while (!isFinal(report.status)) report = await api.getDocumentStatus(id, WAIT_SECONDS);
  expect(report.status).toBe('processed');
  return id;
}

/** Calls every operation once, and checks each answer. */
export async function useEverything(caller: Caller): Promise<void> {
  const { api } = caller;
  const knowledgeBaseId = await createTwice(caller, 'Rolling');
  const word = `okapi${randomUUID().slice(0, 8)}`;
  const text = await api.importTextContent({ knowledgeBaseId, title: 'Text', content: `A ${word} eats.` });
  const file = await importFile(api, knowledgeBaseId, `The ${word} sleeps.`);
  const found = await api.query({ query: word, knowledgeBaseIds: [knowledgeBaseId] });
  expect(found.map(({ document_id }) => document_id).toSorted()).toEqual([text.id, file].toSorted());
  expect((await api.listDocuments({ knowledgeBaseId })).data.map(({ id }) => id)).toEqual([file, text.id]);
  expect((await api.getDocument(file)).id).toBe(file);
  expect((await api.listPassages({ documentId: text.id })).data).toHaveLength(1);
  expect((await api.listKnowledgeBases({ limit: 50 })).data.length).toBeGreaterThan(0);
  expect((await api.getUsage()).knowledgeBaseCount).toBeGreaterThan(0);
  expect(await api.getBalance()).toBeGreaterThan(0);
  await api.deleteDocument(text.id);
  await api.deleteKnowledgeBase(knowledgeBaseId);
}

/**
 * Calls every operation repeatedly until `signal` aborts. Returns the number of rounds.
 * @throws at the first failure
 */
export async function useUntil(signal: AbortSignal, caller: Caller): Promise<number> {
  let rounds = 0;
  for (; !signal.aborted; rounds++) await useEverything(caller);
  return rounds;
}
