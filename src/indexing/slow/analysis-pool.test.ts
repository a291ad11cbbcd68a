/** Analysis in threads: accounts take turns, and an analysis ends when its caller stops. */

import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { Stem } from '../../analysis/lexemes.ts';
import { openWordVectors } from '../../meaning/word-vectors.ts';
import { analyseDocument, type DocumentText } from '../analyse-document.ts';
import { createAnalysisPool, endAnalysis, startingWith } from '../analysis-pool.ts';
import { readAnalysis } from '../testing/analysed-passages.ts';

const english = 'The committees agreed that the new regulation would not apply to small companies. ';
/** The account of these documents. */
const mine = { accountId: 'mine' };
const text = (content: string): DocumentText => ({ title: 'Title', format: 'text', content });

/** A number as letters. */
const letters = (number: number): string =>
  number.toString().replace(/\d/g, (digit) => 'bcdfghjklm'[Number(digit)] ?? '');

/** Consumes the batches and ignores them. */
async function drain(batches: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of batches);
}

describe('createAnalysisPool', () => {
  const stemmed: string[][] = [];
  const stem: Stem = async (_language, words) => {
    stemmed.push(words);
    return words.map((word) => (word === 'the' ? '' : word.replace(/s$/, '')));
  };
  const pool = createAnalysisPool(stem, { connections: 8 });
  afterAll(() => pool.close());

  it('returns the same as an analysis on this thread', async () => {
    const document = text(`# Heading\n\n${english}\n\n漢字 😀 max_wal_size`);
    const analysed = await readAnalysis(await pool.analyse(document, mine));
    const expected = await readAnalysis(analyseDocument(document, stem, openWordVectors()));
    expect(analysed.passages).toEqual(expected.passages);
    expect(analysed.documentFrequencies).toEqual(expected.documentFrequencies);
  });

  it('fails a document whose thread cannot start, and tries again with the next one', async () => {
    const file = join(tmpdir(), `${randomUUID()}.mjs`);
    const broken = createAnalysisPool(stem, { connections: 8, file });
    try {
      const both = [text('first'), text('second')].map((one) => broken.analyse(one, mine));
      const message = expect.stringContaining(file);
      for (const result of await Promise.allSettled(both))
        expect(result).toMatchObject({ status: 'rejected', reason: { message } });
      const worker = JSON.stringify(join(import.meta.dirname, '../analysis-worker.ts'));
      writeFileSync(file, `export { analyse } from ${worker};`);
      await drain(await broken.analyse(text('third'), mine));
    } finally {
      await broken.close();
      rmSync(file, { force: true });
    }
  });

  it('analyses documents concurrently', async () => {
    const documents = Array.from({ length: 20 }, (_, i) => text(`${english} number${i}`));
    const analyses = await Promise.all(
      documents.map(async (one) => readAnalysis(await pool.analyse(one, mine))),
    );
    for (const [i, { documentFrequencies }] of analyses.entries())
      expect(documentFrequencies.has(`number${i}`)).toBe(true);
  });

  it.skipIf(platform() !== 'linux')('gives the analysis a lower priority than this thread', async () => {
    await drain(await pool.analyse(text(english), mine));
    const threads = readdirSync('/proc/self/task').map((id) => {
      const fields = readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      return Number(fields[16]); // the nice value, see proc_pid_stat(5)
    });
    const own = getPriority();
    expect(threads.some((nice) => nice > own)).toBe(true);
  });

  it('does not block this thread with the largest legal text', async () => {
    const words = Array.from({ length: 150_000 }, (_, i) => `w${i.toString(36).replace(/\d/g, 'x')}`).join(
      ' ',
    );
    const largest = text(words.slice(0, 1_000_000));
    /** The processor time of this thread, in microseconds. */
    const usedHere = async (analyse: () => Promise<unknown>): Promise<number> => {
      const before = process.threadCpuUsage();
      await analyse();
      const { user, system } = process.threadCpuUsage(before);
      return user + system;
    };
    await drain(await pool.analyse(text(english), mine));
    const inThread = await usedHere(async () => drain(await pool.analyse(largest, mine)));
    const here = await usedHere(() => drain(analyseDocument(largest, stem)));
    // It takes about a hundredth of it.
    expect(inThread).toBeLessThan(here / 5);
  });

  describe('with a document of many batches', () => {
    // Each batch has its own words, and so requests stems once.
    const paragraphs = Array.from({ length: 3_000 }, (_, i) => `${english.repeat(4)} word${letters(i)}`);
    const large = text(paragraphs.join('\n\n'));

    it('makes a few batches ahead of its consumer, and all in the end', async () => {
      const before = stemmed.length;
      const count = () => stemmed.length - before;
      const batches = await pool.analyse(large, mine);
      await vi.waitUntil(() => count() >= 4);
      await expect(vi.waitUntil(() => count() > 5, { timeout: 500 })).rejects.toThrow('Timed out');
      const { passages } = await readAnalysis(batches);
      expect(passages.length).toBeGreaterThan(1_200);
    });

    it('goes on to the next document when the consumer stops', async () => {
      for (const batchesTaken of [0, 3, 9, 9, 9]) {
        const batches = await pool.analyse(large, mine);
        const iterator = batches[Symbol.asyncIterator]();
        for (let i = 0; i < batchesTaken; i++) await iterator.next();
        await endAnalysis(batches);
      }
      expect((await readAnalysis(await pool.analyse(text(english), mine))).passages).toHaveLength(1);
    });
  });

  describe('while large texts of an account are analysed', () => {
    const large = text(Array.from({ length: 6_000 }, (_, i) => `${english} number${i}`).join('\n\n'));
    /** Analyses several of the account's large texts and counts their batches as they arrive. */
    const keepBusy = async () => {
      const state = { batches: 0, ended: 0 };
      const documents = Array.from({ length: 5 }, async () => {
        for await (const _ of await pool.analyse(large, mine)) state.batches++;
        state.ended++;
      });
      await vi.waitUntil(() => state.batches > 1);
      return { state, end: () => Promise.all(documents) };
    };

    it.each([
      ['another account', 'other'],
      ['the same account', 'mine'],
    ])('a small text of %s waits for a few batches, not for whole texts', async (_whose, accountId) => {
      const { state, end } = await keepBusy();
      const { batches: before } = state;
      await pool.analyse(text(english), { accountId });
      expect(state.batches - before).toBeLessThanOrEqual(6);
      expect(state.ended).toBe(0);
      await end();
      expect(state.ended).toBe(5);
    });

    it('a large text of another account is done before all texts of the first', async () => {
      const { state, end } = await keepBusy();
      await drain(await pool.analyse(large, { accountId: 'other' }));
      expect(state.ended).toBeLessThan(5);
      await end();
    });
  });

  it('ends a document whose signal aborts, and passes its permit on', async () => {
    const large = text(`${english}\n\n`.repeat(6_000));
    const gone = new AbortController();
    const signal = gone.signal;
    const begun = await pool.analyse(large, { ...mine, signal });
    const waiting = Array.from({ length: 2 }, () => pool.analyse(large, { ...mine, signal }));
    gone.abort(new Error('hung up'));
    for (const one of waiting) await expect(one).rejects.toThrow('hung up');
    await expect(drain(begun)).rejects.toThrow('hung up');
    await expect(pool.analyse(large, { ...mine, signal })).rejects.toThrow('hung up');
    await drain(await pool.analyse(large, mine));
  });

  it('refuses a text that waits longer than its request may still wait', async () => {
    const large = text(`${english}\n\n`.repeat(6_000));
    const begun = await Promise.all([pool.analyse(large, mine), pool.analyse(large, mine)]);
    const waiting = pool.analyse(large, { ...mine, remainingWait: { leftMs: 50 } });
    await expect(waiting).rejects.toMatchObject({ status: 503 });
    for (const batches of begun) await drain(batches);
  });

  it('analyses one large text of an account at a time while another account is present', async () => {
    const shared = createAnalysisPool(stem, { connections: 8 });
    const large = text(`${english}\n\n`.repeat(6_000));
    const begun = await shared.analyse(large, mine);
    shared.markAccountPresent('other');
    const second = shared.analyse(large, { ...mine, remainingWait: { leftMs: 50 } });
    await expect(second).rejects.toMatchObject({ status: 503 });
    await endAnalysis(begun);
    await shared.close();
  });

  it('analyses other documents while those of an account wait for stems', async () => {
    const never = Promise.withResolvers<string[]>();
    const slow = createAnalysisPool(
      (_language, words) => (words.includes('wait') ? never.promise : stem('', words)),
      {
        connections: 4,
      },
    );
    const stuck = Array.from({ length: 3 }, () => slow.analyse(text(`${english} wait`), mine));
    await drain(await slow.analyse(text(english), { accountId: 'other' }));
    never.reject(new Error('away'));
    for (const one of stuck) await expect(one).rejects.toThrow('away');
    await slow.close();
  });

  it('rejects with the error of the stemmer, unchanged, and goes on', async () => {
    const away = new Error('database away');
    let isAway = true;
    const stemOrFail: Stem = async (_language, words) => {
      if (isAway) throw away;
      return words;
    };
    const failing = createAnalysisPool(stemOrFail, { connections: 4 });
    await expect(failing.analyse(text(english), mine)).rejects.toBe(away);
    isAway = false;
    expect((await readAnalysis(await failing.analyse(text(english), mine))).passages).toHaveLength(1);
    await failing.close();
  });
});

describe('startingWith', () => {
  const numbers = async (taken: number) => {
    let isCancelled = false;
    const rest = new ReadableStream<number>({
      start: (stream) => [2, 3].forEach((number) => void stream.enqueue(number)),
      cancel() {
        isCancelled = true;
      },
    });
    const all = startingWith(1, rest.values());
    const first: unknown[] = [];
    for (let i = 0; i < taken; i++) first.push((await all.next()).value);
    await all.return?.();
    return { first, isCancelled, next: await all.next() };
  };

  it.each([0, 1, 2])('cancels the rest when its consumer stops after %i of three', async (taken) => {
    expect(await numbers(taken)).toEqual({
      first: [1, 2, 3].slice(0, taken),
      isCancelled: true,
      next: { value: undefined, done: true },
    });
  });

  it('ends without the error of a batch that was never requested', async () => {
    const failed = new ReadableStream<number>({ start: (stream) => stream.error(new Error('away')) });
    await startingWith(1, failed.values()).return?.();
  });
});
