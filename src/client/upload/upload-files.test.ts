/** uploadFiles and its progress, against a scripted server. */
import { describe, expect, test, vi } from 'vitest';
import type { FileProgress, UploadFilesProgress, UploadSources } from '../index.ts';
import {
  answer,
  breakOff,
  connectTo,
  errorOf,
  type Respond,
  succeed,
  useScriptedServer,
} from '../testing/scripted-server.ts';

const server = useScriptedServer();

/** Answers every request of an upload by its path. `overrides` replace the answers to paths that begin so. */
const serve =
  (overrides: Record<string, Respond> = {}): Respond =>
  (response) => {
    const path = response.req.url ?? '';
    const override = Object.entries(overrides).find(([beginning]) => path.startsWith(beginning));
    if (override !== undefined) return override[1](response);
    const uploadUrl = `${server.address}/uploads/f`;
    const ticket = { fileId: 'f', uploadUrl, method: 'PUT', headers: {} };
    succeed({ ...ticket, id: 'd', status: path.includes('Status') ? 'processed' : 'pending' })(response);
  };

const connect = (overrides?: Record<string, Respond>) => {
  server.script = [serve(overrides)];
  return connectTo(server);
};

const file = (text: string, fileName = `${text}.txt`) => ({ file: new Blob([text]), fileName });
const bodiesOf = (path: string) =>
  server.requests.filter((request) => request.path === path).map(({ body }) => JSON.parse(body));

describe('a small file that may arrive twice', () => {
  const small = { ...file('a'), knowledgeBaseId: 'k', externalId: 'a', ifUnchanged: 'skip' as const };
  const pathsOf = () => server.requests.map(({ path }) => path.replace(/\?.*/, ''));

  test('goes in one request, which is repeated after a broken connection', async () => {
    const client = connect();
    server.script = [breakOff, serve()];
    expect(await client.uploadFile(small)).toMatchObject({ id: 'd', status: 'pending' });
    expect(pathsOf()).toEqual(['/v1/uploadFile', '/v1/uploadFile']);
  });

  test.each([
    ['without an externalId', { externalId: undefined as never }],
    ['that makes a new document each time', { ifUnchanged: undefined as never }],
    ['of more than a mebibyte', { file: new Blob(['a'.repeat(1_048_577)]) }],
  ])('but one %s goes in three', async (_what, change) => {
    await connect().uploadFile({ ...small, ...change });
    expect(pathsOf()).toEqual(['/v1/presignUploadUrl', '/uploads/f', '/v1/importFile']);
  });
});

describe('uploadFiles', () => {
  test('gives a result for each source in order; a bad file does not end the others', async () => {
    const sources = [
      new File(['a'], 'a.txt'),
      '/nothing/here.pdf',
      { ...file('b'), attributes: { team: 'blue' }, externalId: 'b' },
      import.meta.filename,
      null as never, // what the types forbid
    ];
    const shared = { attributes: { team: 'red' }, ifUnchanged: 'skip' } as const;
    const results = await connect().uploadFiles(sources, { knowledgeBaseId: 'k', ...shared });
    const document = { id: 'd', status: 'pending' };
    expect(results).toMatchObject([
      { fileName: 'a.txt', document },
      { fileName: 'here.pdf', error: { errorCode: 'FILE_UNREADABLE' } },
      { fileName: 'b.txt', document },
      { fileName: 'upload-files.test.ts', document },
      { fileName: 'a file without a name', error: { errorCode: 'INVALID_ARGUMENT' } },
    ]);
    const red = { fileId: 'f', ...shared };
    const imports = bodiesOf('/v1/importFile');
    expect(imports).toEqual([red, red]);
    const whole = server.requests.filter(({ path }) => path.startsWith('/v1/uploadFile?'));
    expect(
      whole.map(({ path, body }) => [Object.fromEntries(new URL(path, server.address).searchParams), body]),
    ).toEqual([
      [
        {
          knowledgeBaseId: 'k',
          fileName: 'b.txt',
          ifUnchanged: 'skip',
          externalId: 'b',
          attributes: '{"team":"blue"}',
        },
        'b',
      ],
    ]);
  });

  test('takes any iterable of sources, and an empty one', async () => {
    async function* generate() {
      yield file('a');
      yield file('b');
    }
    const files = [file('a'), file('b')];
    for (const sources of [files, new Set(files), generate()]) {
      const results = await connect().uploadFiles(sources, { knowledgeBaseId: 'k' });
      expect(results.map(({ fileName }) => fileName)).toEqual(['a.txt', 'b.txt']);
    }
    expect(await connect().uploadFiles([], { knowledgeBaseId: 'k' })).toEqual([]);
  });

  test('takes no source before it is its turn', async () => {
    let taken = 0;
    async function* generate() {
      for (; taken < 20; taken++) yield file(`${taken}`);
    }
    const held: (() => void)[] = [];
    const hold: Respond = (response) => held.push(() => answer(200, '')(response));
    const call = connect({ '/uploads/': hold }).uploadFiles(generate(), {
      knowledgeBaseId: 'k',
      concurrency: 2,
    });
    await expect.poll(() => held.length).toBe(2);
    // `taken` counts the sources that the generator has been asked to go on from.
    expect(taken).toBe(1);
    held.shift()?.();
    await expect.poll(() => held.length).toBe(2);
    expect(taken).toBe(2);
    server.script = [serve()];
    for (const release of held) release();
    expect(await call).toHaveLength(20);
  });

  test('ABORTED: ends the files in progress and takes no more, also while the next source is awaited', async () => {
    const stopping = new AbortController();
    let hasEnded = false;
    async function* generate() {
      try {
        for (let index = 0; ; index++) yield file(`${index}`);
      } finally {
        hasEnded = true;
      }
    }
    const failed: string[] = [];
    const call = connect({ '/uploads/': () => stopping.abort('enough') }).uploadFiles(generate(), {
      knowledgeBaseId: 'k',
      signal: stopping.signal,
      onProgress: ({ phase, error }) => phase === 'failed' && failed.push(error?.errorCode ?? ''),
    });
    const error = await errorOf(call);
    expect(error).toMatchObject({ errorCode: 'ABORTED', cause: 'enough' });
    expect(failed.length).toBeGreaterThan(0);
    const results = failed.map((errorCode) => ({ error: { errorCode } }));
    expect(error).toMatchObject({ data: { results } });
    expect(new Set(failed)).toEqual(new Set(['ABORTED']));
    await expect.poll(() => hasEnded).toBe(true);

    async function* stall() {
      await new Promise(() => {});
      yield file('never');
    }
    const options = { knowledgeBaseId: 'k', signal: AbortSignal.timeout(50) };
    expect(await errorOf(connect().uploadFiles(stall(), options))).toMatchObject({ errorCode: 'ABORTED' });
  });

  test('INVALID_ARGUMENT: sources that are no list of files, or break off', async () => {
    async function* breaking() {
      yield file('a');
      throw new Error('the folder is gone');
    }
    const phases: string[] = [];
    const upload = (sources: unknown, more = {}) =>
      errorOf(connect().uploadFiles(sources as UploadSources, { knowledgeBaseId: 'k', ...more }));
    const message = 'The sources cannot be read: the folder is gone';
    const onProgress = ({ phase }: FileProgress) => phases.push(phase);
    expect(await upload(breaking(), { onProgress })).toMatchObject({
      errorCode: 'INVALID_ARGUMENT',
      message,
    });
    expect(phases.at(-1)).toBe('done');
    for (const sources of ['manual.pdf', Buffer.from('a'), new Blob(['a']), undefined])
      expect(await upload(sources)).toMatchObject({ data: { argument: 'sources' } });
    expect(await upload([], { concurrency: 0 })).toMatchObject({ data: { argument: 'concurrency' } });
  });

  test('uploadFilesAndPoll gives the document beside the error of its import', async () => {
    let asked = 0;
    const client = connect({
      '/v1/getDocumentStatus': (response) => {
        asked++;
        const reports = [
          { status: 'pending', queuePosition: 4 },
          { status: 'processing' },
          { status: 'failed', error: { code: 'FILE_CORRUPT', message: 'It is damaged.' } },
        ];
        succeed({ id: 'd', ...reports[asked - 1] })(response);
      },
    });
    const states: UploadFilesProgress[] = [];
    const [result] = await client.uploadFilesAndPoll([file('a')], {
      knowledgeBaseId: 'k',
      onProgress: (state) => states.push(state),
    });
    expect(result).toMatchObject({
      document: { id: 'd', status: 'failed' },
      error: { errorCode: 'DOCUMENT_FAILED', message: 'It is damaged.' },
    });
    const seen = states.map(({ phase, document }) => [phase, document?.status, document?.queuePosition]);
    expect(seen.slice(seen.findIndex(([phase]) => phase === 'importing'))).toEqual([
      ['importing', undefined, undefined],
      ['processing', 'pending', undefined],
      ['processing', 'pending', 4],
      ['processing', 'processing', undefined],
      ['processing', 'failed', undefined],
      ['failed', 'failed', undefined],
    ]);
  });
});

describe('progress', () => {
  test('of several files: the state of each, and the totals', async () => {
    const states: UploadFilesProgress[] = [];
    await connect().uploadFilesAndPoll([file('aaa'), '/nothing', file('bb')], {
      knowledgeBaseId: 'k',
      onProgress: (state) => states.push(state),
    });
    const phasesOf = (wanted: number) =>
      states.filter(({ index }) => index === wanted).map(({ phase }) => phase);
    const steps = ['queued', 'uploading', 'importing', 'processing', 'done'];
    expect([...new Set(phasesOf(0))]).toEqual(steps);
    expect(phasesOf(1)).toEqual(['queued', 'failed']);
    expect([...new Set(phasesOf(2))]).toEqual(steps);
    expect(states[0]).toMatchObject({ fileName: 'aaa.txt', totals: { files: 3, done: 0, failed: 0 } });
    expect(states.at(-1)?.totals).toEqual({ files: 3, done: 2, failed: 1, sentBytes: 5, totalBytes: 5 });
  });

  const LARGE = new Uint8Array(1_000_000).fill(97);
  /** Uploads LARGE. Returns the numbers of bytes that were reported. */
  async function uploadLarge(client: ReturnType<typeof connect>): Promise<number[]> {
    const sent: number[] = [];
    const onProgress = ({ sentBytes }: FileProgress) => sent.push(sentBytes);
    await client.uploadFile({ knowledgeBaseId: 'k', file: LARGE, fileName: 'a.txt' }, { onProgress });
    return sent;
  }

  test('the bytes of a file are counted as they are sent, with their length in the header', async () => {
    const sent = await uploadLarge(connect());
    expect(sent).toEqual(sent.toSorted((a, b) => a - b));
    expect([...new Set(sent)]).toEqual([0, 262_144, 524_288, 786_432, 1_000_000]);
    const { headers, body } = server.requests[1] ?? {};
    expect(headers).toMatchObject({ 'content-length': '1000000' });
    expect(headers).not.toHaveProperty('transfer-encoding');
    expect(body).toHaveLength(LARGE.length);
  });

  test('the bytes are counted from 0 again after a broken connection', async () => {
    let tries = 0;
    const client = connect({ '/uploads/': (response) => (tries++ ? answer(200, '') : breakOff)(response) });
    const sent = await uploadLarge(client);
    expect(sent.lastIndexOf(0)).toBeGreaterThan(sent.indexOf(786_432));
    expect(
      server.requests.filter(({ path }) => path === '/uploads/f').map(({ body }) => body.length),
    ).toEqual([1_000_000, 1_000_000]);
  });

  test('nothing is reported of the bytes any more once the upload is answered', async () => {
    const phases: string[] = [];
    let readOn = async () => '';
    /** Answers before it reads the body. */
    const send: typeof fetch = async (address, init) => {
      const { body } = init ?? {};
      if (!(body instanceof Blob)) return await fetch(address, init);
      readOn = async () => await new Response(body.stream()).text();
      const refusal = { success: false, message: 'No.', errorCode: 'FILE_ALREADY_IMPORTED', data: {} };
      return Response.json(refusal, { status: 409 });
    };
    server.script = [serve()];
    const onProgress = ({ phase }: FileProgress) => phases.push(phase);
    const large = { knowledgeBaseId: 'k', file: LARGE, fileName: 'a.txt' };
    await errorOf(connectTo(server, { fetch: send }).uploadFile(large, { onProgress }));
    expect(await readOn()).toHaveLength(LARGE.length);
    expect(phases).toEqual(['queued', 'uploading', 'failed']);
  });

  test('a fetch of the caller sends the bytes too', async () => {
    const paths: string[] = [];
    const send: typeof fetch = async (address, init) => {
      paths.push(new URL(String(address)).pathname);
      return await fetch(address, init);
    };
    server.script = [serve()];
    expect(await uploadLarge(connectTo(server, { fetch: send }))).toContain(786_432);
    expect(paths).toEqual(['/v1/presignUploadUrl', '/uploads/f', '/v1/importFile']);
  });

  test('an error of the listener does not disturb the upload', async () => {
    const uncaught: unknown[] = [];
    const { queueMicrotask } = globalThis;
    const collect = (act: () => void) =>
      queueMicrotask(() => {
        try {
          act();
        } catch (error) {
          uncaught.push(error);
        }
      });
    vi.stubGlobal('queueMicrotask', collect);
    const onProgress = () => {
      throw new Error('the listener is broken');
    };
    const document = await connect().uploadFile({ knowledgeBaseId: 'k', ...file('a') }, { onProgress });
    vi.unstubAllGlobals();
    expect(document).toMatchObject({ id: 'd' });
    expect(uncaught[0]).toEqual(new Error('the listener is broken'));
  });
});
