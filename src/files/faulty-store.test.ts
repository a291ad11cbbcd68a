/** A faulty S3 store affects only requests that need it, and these end in time. */
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { measureSlowdown } from '../../contract-tests/harness/machine/machine-slowdown.ts';
import { startBucketService } from '../serve/testing/bucket-service.ts';
import { ServiceError } from '../terms/errors.ts';
import { type FileStore, filePrefix, uploadNameOf } from './file-store.ts';
import { openS3Store } from './s3-store.ts';
import { startS3Server } from './testing/s3-server.ts';
import { STORE_FAULTS, type StoreFault } from './testing/store-faults.ts';

const ANSWER_MAX_MS = 1_000;
const credentials = { accessKeyId: 'faulty', secretAccessKey: 'of the tests' };
const file = { knowledgeBaseId: crypto.randomUUID(), id: crypto.randomUUID() };
const objectName = `${filePrefix(file)}/${crypto.randomUUID()}`;
/** Few, so that they arrive within ANSWER_MAX_MS also byte by byte. */
const BYTES = 'bytes';

let server: Awaited<ReturnType<typeof startS3Server>>;
let store: FileStore;
beforeAll(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey);
  server = await startS3Server(credentials);
  const { bucket, endpoint } = server;
  store = openS3Store({ bucket, endpoint, region: 'eu-central-1' }, { answerMaxMs: ANSWER_MAX_MS });
});
afterEach(() => server.misbehave(undefined));
afterAll(async () => {
  await server.close();
  vi.unstubAllEnvs();
});

async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const name of list) found.push(name);
  return found;
}

/** Every method that sends a request to the store. */
const METHODS: Record<string, () => Promise<unknown>> = {
  take: () => store.directUploads?.take(file, BYTES.length) ?? Promise.resolve(),
  put: () => store.put(objectName, Buffer.from(BYTES)),
  write: () => store.write(filePrefix(file), Readable.from([Buffer.from(BYTES)]), BYTES.length),
  probe: () => store.probe(),
  ping: () => store.ping(),
  read: () => store.read(objectName, { sizeBytes: BYTES.length }),
  readIfExists: () => store.readIfExists(objectName, { sizeBytes: BYTES.length }),
  exists: () => store.exists(objectName),
  'remove an object': () => store.remove(objectName),
  'remove a prefix': () => store.remove(file.knowledgeBaseId),
  listKnowledgeBases: () => all(store.listKnowledgeBases()),
  listObjects: () => all(store.listObjects(file.knowledgeBaseId)),
};

/** What a method returns or throws, in words. */
const outcomeOf = (method: () => Promise<unknown>): Promise<string> =>
  method().then(
    (value) => (value === undefined ? 'nothing' : 'something'),
    (error) => (error instanceof ServiceError ? `${error.status}` : String(error)),
  );

/** Methods that do not notice a fault, since they do not read the faulty part. */
const UNAWARE: Partial<Record<StoreFault, string[]>> = {
  'sends a byte now and then': ['read', 'readIfExists'],
  'sends headers and no more': ['take', 'ping', 'exists'],
  'answers 200 with an error': ['take', 'exists'],
  'sends other bytes than were stored': ['take', 'put', 'write', 'ping', 'exists'],
  'loses the last byte': ['take', 'put', 'write', 'ping', 'exists'],
  'lists the same page again and again': ['take', 'put', 'write', 'ping', 'exists', 'remove an object'],
  'lists empty pages': ['take', 'put', 'write', 'ping', 'exists', 'remove an object'],
  'is no store': ['take', 'put', 'write', 'exists', 'remove an object'],
};

test.each(Object.keys(STORE_FAULTS) as StoreFault[])(
  'each request to a store that %s ends in time, with 503 if it notices the fault',
  async (fault) => {
    server.force(uploadNameOf(file), BYTES);
    server.force(objectName, BYTES);
    server.misbehave(fault);
    const slowdown = measureSlowdown();
    const beganAtMs = performance.now();
    const outcomes = await Promise.all(
      Object.entries(METHODS).map(async ([name, method]) => [name, await outcomeOf(method)]),
    );
    expect(performance.now() - beganAtMs).toBeLessThan(5 * ANSWER_MAX_MS * slowdown());
    const failed = outcomes.filter(([, outcome]) => outcome === '503').map(([name]) => name);
    const unaware = UNAWARE[fault] ?? [];
    expect(failed).toEqual(Object.keys(METHODS).filter((name) => !unaware.includes(name)));
  },
);

test('a read ends when its signal aborts', async () => {
  server.misbehave('is silent');
  const ending = new AbortController();
  const reading = store.read(objectName, { signal: ending.signal });
  ending.abort();
  await expect(reading).rejects.toMatchObject({ status: 503 });
});

describe('a service whose store is silent', () => {
  let started: Awaited<ReturnType<typeof startBucketService>>;
  beforeAll(async () => {
    started = await startBucketService(({ config: { s3 } }) =>
      s3 === undefined ? {} : { files: openS3Store(s3, { answerMaxMs: 4_000 }) },
    );
  });
  afterAll(() => started.close());

  test('answers 503 only to requests that need the store, and /readyz reports it', async () => {
    const { store: bucket, suite } = started;
    const { body } = await suite.call('createKnowledgeBase', { name: 'beside a silent store' });
    const knowledgeBaseId = String(body.data.id);
    const text = { knowledgeBaseId, title: 'kiwi', content: 'The kiwi walks.' };
    const { body: document } = await suite.call('importTextContent', text);
    const ticket = { knowledgeBaseId, fileName: 'a.txt', size: 4 };
    const tickets = await Promise.all(
      Array.from({ length: 6 }, () => suite.call('presignUploadUrl', ticket)),
    );
    const readiness = async () => {
      const response = await fetch(`${suite.address}/readyz`);
      const { data } = (await response.json()) as { data: { store: string } };
      return [response.status, data.store];
    };
    bucket.misbehave?.('is silent');
    const imports = tickets.map(({ body: { data } }) => suite.call('importFile', { fileId: data.fileId }));
    let refused = 0;
    for (const refusal of imports) refusal.then(() => refused++);
    const answers = await Promise.all([
      suite.call('getBalance'),
      suite.call('query', { query: 'kiwi' }),
      suite.call('importTextContent', { ...text, title: 'another' }),
      suite.call('presignUploadUrl', ticket),
      suite.call('deleteDocument', { documentId: document.data.id }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(refused).toBe(0);
    expect(await readiness()).toEqual([200, 'unavailable']);
    for (const { status, headers, body: refusal } of await Promise.all(imports)) {
      expect([status, headers.get('retry-after')]).toEqual([503, '5']);
      expect(refusal.message).toContain('The store of uploaded files does not answer');
    }
    bucket.misbehave?.(undefined);
    await vi.waitUntil(async () => (await readiness())[1] === 'available', {
      timeout: 60_000,
      interval: 500,
    });
  });
});
