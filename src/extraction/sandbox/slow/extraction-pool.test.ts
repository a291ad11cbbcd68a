/** Each file is extracted within its limits. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { unpackText } from '../../../indexing/split/extracted-text.ts';
import { extractionMaxMsFor, TEXT_MAX_LENGTH } from '../../extraction-limits.ts';
import { createExtractionPool } from '../extraction-pool.ts';

const killedServer = fileURLToPath(new URL('../../testing/killed-server.ts', import.meta.url));
const hostile = fileURLToPath(new URL('../../testing/hostile-process.ts', import.meta.url));
const chatting = fileURLToPath(new URL('../../testing/printing-process.ts', import.meta.url));
const starvedServer = fileURLToPath(new URL('../../testing/starved-server.ts', import.meta.url));
const pool = createExtractionPool();
afterAll(() => pool.close());

const misbehave = async (how: string) => {
  const maxMsFor = (type: string) => (how === 'loop' || type === 'xml' ? 2_000 : 30_000);
  const bounded = createExtractionPool({ program: hostile, maxMsFor });
  try {
    return await bounded.extract({ accountId: 'a', fileName: how, readBytes: async () => new Uint8Array() });
  } finally {
    bounded.close();
  }
};

describe('the extraction process', () => {
  it.each([
    ['takes too long', 'loop', 'seconds'],
    ['takes too long for its format', 'loop as xml', 'seconds'],
    ['fills its heap', 'heap', 'memory'],
    ['takes memory outside its heap', 'buffers', 'memory'],
    ['takes much memory at once', 'one buffer', 'memory'],
    ['writes without end', 'flood', 'text'],
    ['announces a result that no memory holds', 'lie', 'text'],
  ])('is killed when it %s, and the file is too complex', async (_what, how, reason) => {
    const extraction = await misbehave(how);
    expect(extraction).toMatchObject({ failure: { code: 'FILE_TOO_COMPLEX' } });
    expect('failure' in extraction && extraction.failure.message).toContain(reason);
  });

  it('throws its error output when it crashes, so that the import is retried', async () => {
    await expect(misbehave('crash')).rejects.toThrow('a bug in the extraction');
  });

  it.each(['chat', 'announce nothing', 'announce less than nothing'])(
    'throws when it returns no valid result: %s',
    async (how) => {
      await expect(misbehave(how)).rejects.toThrow('the extraction process returned an invalid result');
    },
  );

  it('returns its result even when a library writes to the console', async () => {
    const chatty = createExtractionPool({ program: chatting });
    const extraction = await chatty.extract({
      accountId: 'a',
      fileName: 'a.txt',
      readBytes: async () => Buffer.from('Some text.'),
    });
    chatty.close();
    expect('extracted' in extraction && unpackText(extraction.extracted).text).toBe('Some text.');
  });

  it.skipIf(process.platform === 'win32')(
    'throws when it cannot be started, and the next file starts one',
    async () => {
      const limited = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, starvedServer];
      const { stdout } = await promisify(execFile)('/bin/sh', limited);
      expect(JSON.parse(stdout)).toEqual(['EMFILE', 'EMFILE', 'txt']);
    },
  );

  it('gets no file after it was ended for being idle', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const idle = createExtractionPool();
    try {
      const file = { accountId: 'a', fileName: 'a.txt', readBytes: async () => Buffer.from('Some text.') };
      await idle.extract(file);
      vi.advanceTimersByTime(60_000); // not all timers: other files of this process have some that repeat
      expect(await idle.extract(file)).toMatchObject({ type: 'txt' });
    } finally {
      idle.close();
      vi.useRealTimers();
    }
  });

  it.skipIf(process.platform !== 'linux')('ends with its server, even in an endless loop', async () => {
    const server = spawn(process.execPath, [killedServer], { stdio: 'inherit' });
    const processes = () => descendantsOf(server.pid ?? 0).filter(({ command }) => command.includes(hostile));
    await vi.waitUntil(() => processes().some(isLooping), { timeout: 60_000 });
    const found = processes();
    server.kill('SIGKILL');
    await vi.waitUntil(() => !found.some(({ pid }) => existsSync(`/proc/${pid}`)), { timeout: 60_000 });
  });
});

/** A process with the ticks of processor time that it has used: proc_pid_stat(5). */
type Found = { pid: string; command: string; ticks: number };

/** The children of a process. */
function descendantsOf(pid: number): Found[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children.split(' ').flatMap((child) => {
    try {
      const command = readFileSync(`/proc/${child}/cmdline`, 'utf8');
      const fields = readFileSync(`/proc/${child}/stat`, 'utf8').split(' ');
      return [{ pid: child, command, ticks: Number(fields[13]) + Number(fields[14]) }];
    } catch {
      return []; // it has ended meanwhile
    }
  });
}

/** More processor time than a start takes: 100 ticks are a second. */
const isLooping = ({ ticks }: Found): boolean => ticks > 100;

it('extracts files one after another and in parallel', async () => {
  const files = Array.from({ length: 6 }, (_, i) => ({
    accountId: 'a',
    fileName: 'a.md',
    readBytes: async () => Buffer.from(`# Text ${i}`),
  }));
  const read = await Promise.all(files.map((file) => pool.extract(file)));
  const texts = read.map((extraction) => 'extracted' in extraction && unpackText(extraction.extracted).text);
  expect(texts).toEqual(files.map((_file, i) => `# Text ${i}`));
});

it('fetches only the bytes of the next files, also after some could not be fetched', async () => {
  let held = 0;
  let heldMost = 0;
  const readBytes = async () => {
    heldMost = Math.max(heldMost, ++held);
    return Buffer.from('Some text.');
  };
  const broken = () => Promise.reject(new Error('the store is away'));
  const read = async () => {
    await expect(pool.extract({ accountId: 'a', fileName: 'a.txt', readBytes: broken })).rejects.toThrow(
      'away',
    );
    await pool.extract({ accountId: 'a', fileName: 'a.txt', readBytes }).finally(() => held--);
  };
  await Promise.all(Array.from({ length: availableParallelism() * 2 }, read));
  expect(heldMost).toBeLessThanOrEqual(2 * Math.max(1, availableParallelism() - 1));
});

it('gives a small file of plain text less time than one that may unpack to something large', () => {
  expect(extractionMaxMsFor('xml', 1_000_000)).toBeLessThan(15_000);
  expect(extractionMaxMsFor('txt', 52_428_800)).toBe(extractionMaxMsFor('pdf', 1));
});

it.skipIf(totalmem() < 4 * 2 ** 30)(
  "extracts an account's file while another account's files use up their time",
  async () => {
    const shared = createExtractionPool({ program: hostile, maxMsFor: () => 20_000 });
    const extract = (accountId: string, fileName: string) =>
      shared.extract({ accountId, fileName, readBytes: async () => new Uint8Array() });
    const endless = Array.from({ length: 4 }, () => extract('a', 'loop'));
    for (let i = 0; i < 3; i++)
      await expect(Promise.race([...endless, extract('b', 'crash')])).rejects.toThrow(
        'a bug in the extraction',
      );
    shared.close();
    await Promise.allSettled(endless);
  },
);

it("a store that is slow for one account does not delay another account's files", async () => {
  const silent = Promise.withResolvers<Uint8Array>();
  const slow = Array.from({ length: 4 }, () =>
    pool.extract({ accountId: 'a', fileName: 'a.txt', readBytes: () => silent.promise }),
  );
  const readBytes = async () => Buffer.from('Some text.');
  expect(await pool.extract({ accountId: 'b', fileName: 'b.txt', readBytes })).toMatchObject({ type: 'txt' });
  silent.resolve(Buffer.from('Some text.'));
  await Promise.all(slow);
});

it.each(['txt', 'md', 'json'])('returns the longest text of a %s, and rejects a longer one', async (type) => {
  const words = Array.from({ length: TEXT_MAX_LENGTH / 16 }, () => 'The café opens. ').join('');
  const read = (text: string) =>
    pool.extract({ accountId: 'a', fileName: `large.${type}`, readBytes: async () => Buffer.from(text) });
  const longest = await read(words);
  expect('extracted' in longest && unpackText(longest.extracted).text).toBe(words);
  expect(await read(`${words}.`)).toEqual({
    type: expect.any(String),
    failure: { code: 'FILE_TOO_COMPLEX', message: "The file's text is longer than 10000000 characters." },
  });
});

it('throws when it is closed during an extraction, so that the import is retried', async () => {
  const closing = createExtractionPool({ program: hostile });
  const readBytes = async () => {
    setTimeout(closing.close, 200);
    return new Uint8Array();
  };
  await expect(closing.extract({ accountId: 'a', fileName: 'loop', readBytes })).rejects.toThrow('SIGKILL');
});

it('starts no process after it is closed', async () => {
  const closing = createExtractionPool({ program: hostile });
  const extraction = closing.extract({
    accountId: 'a',
    fileName: 'loop',
    readBytes: async () => new Uint8Array(),
  });
  closing.close();
  await expect(extraction).rejects.toThrow('extracts no more files');
});
