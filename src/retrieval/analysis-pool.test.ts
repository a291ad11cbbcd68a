/** Analysis in threads: in turn, to its end or to where nobody wants it any more. */
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority, platform } from 'node:os';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { readAnalysis } from '../testing/analysed-passages.ts';
import { analyseDocument, type DocumentText } from './analysis.ts';
import { createAnalysisPool, endParts, startingWith } from './analysis-pool.ts';
import type { Stem } from './lexemes.ts';

const english = 'The committees agreed that the new regulation would not apply to small companies. ';
const text = (content: string): DocumentText => ({ title: 'Title', format: 'text', content });

/** A number as letters. */
const letters = (number: number): string =>
  number.toString().replace(/\d/g, (digit) => 'bcdfghjklm'[Number(digit)] ?? '');

/** Takes the parts and does nothing with them. */
async function drain(parts: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of parts);
}

describe('createAnalysisPool', () => {
  const asked: string[][] = [];
  const stem: Stem = async (_language, words) => {
    asked.push(words);
    return words.map((word) => (word === 'the' ? '' : word.replace(/s$/, '')));
  };
  const pool = createAnalysisPool(stem, { connections: 4 });
  afterAll(() => pool.close());

  it('gives the same as the analysis on this thread', async () => {
    const document = text(`# Heading\n\n${english}\n\n漢字 😀 max_wal_size`);
    const analysed = await readAnalysis(await pool.analyse(document));
    const expected = await readAnalysis(analyseDocument(document, stem));
    expect(analysed.passages).toEqual(expected.passages);
    expect(analysed.lexemeCounts).toEqual(expected.lexemeCounts);
  });

  it('analyses documents side by side', async () => {
    const documents = Array.from({ length: 20 }, (_, i) => text(`${english} number${i}`));
    const analyses = await Promise.all(documents.map(async (one) => readAnalysis(await pool.analyse(one))));
    for (const [i, { lexemeCounts }] of analyses.entries()) expect(lexemeCounts.has(`number${i}`)).toBe(true);
  });

  it.skipIf(platform() !== 'linux')('lets this thread go first', async () => {
    await drain(await pool.analyse(text(english)));
    const threads = readdirSync('/proc/self/task').map((id) => {
      const fields = readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      return Number(fields[16]); // nice, see proc_pid_stat(5)
    });
    const own = getPriority();
    expect(threads.some((nice) => nice > own)).toBe(true);
  });

  it('does not hold up this thread with the largest legal text', async () => {
    const words = Array.from({ length: 150_000 }, (_, i) => `w${i.toString(36).replace(/\d/g, 'x')}`).join(
      ' ',
    );
    await drain(await pool.analyse(text(english)));
    const before = process.threadCpuUsage();
    await drain(await pool.analyse(text(words.slice(0, 1_000_000))));
    const { user, system } = process.threadCpuUsage(before);
    // Microseconds; about 20 ms, in pieces of 10 at most.
    expect(user + system).toBeLessThan(100_000);
  });

  describe('with a document of many parts', () => {
    // Each part has words of its own, and so asks for stems once.
    const paragraphs = Array.from({ length: 3_000 }, (_, i) => `${english.repeat(4)} word${letters(i)}`);
    const large = text(paragraphs.join('\n\n'));

    it('analyses some ahead of those that are taken, and all in the end', async () => {
      const before = asked.length;
      const count = () => asked.length - before;
      const parts = await pool.analyse(large);
      await vi.waitUntil(() => count() >= 7);
      await expect(vi.waitUntil(() => count() > 8, { timeout: 500 })).rejects.toThrow('Timed out');
      const { passages } = await readAnalysis(parts);
      expect(passages.length).toBeGreaterThan(1_200);
    });

    it('goes on to the next document when nobody takes its parts any more', async () => {
      await endParts(await pool.analyse(large));
      expect((await readAnalysis(await pool.analyse(text(english)))).passages).toHaveLength(1);
    });
  });

  it('rejects with the very error that stemming threw, and goes on', async () => {
    const away = new Error('database away');
    let isAway = true;
    const stemOrFail: Stem = async (_language, words) => {
      if (isAway) throw away;
      return words;
    };
    const failing = createAnalysisPool(stemOrFail, { connections: 4 });
    await expect(failing.analyse(text(english))).rejects.toBe(away);
    isAway = false;
    expect((await readAnalysis(await failing.analyse(text(english)))).passages).toHaveLength(1);
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

  it.each([0, 1, 2])('cancels the rest when it is ended after %i of three', async (taken) => {
    expect(await numbers(taken)).toEqual({
      first: [1, 2, 3].slice(0, taken),
      isCancelled: true,
      next: { value: undefined, done: true },
    });
  });

  it('ends without the error of a part that nobody asked for', async () => {
    const failed = new ReadableStream<number>({ start: (stream) => stream.error(new Error('away')) });
    await startingWith(1, failed.values()).return?.();
  });
});
