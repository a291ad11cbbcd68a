/** A document → its passages, their columns, and their totals. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Language } from '../analysis/language.ts';
import type { Stem, Stems } from '../analysis/lexemes.ts';
import { DIMENSIONS, type VectorsIn } from '../meaning/passage-vectors.ts';
import { analyseQuery, readQuery } from '../search/query/query-terms.ts';
import { analyseDocument, analyseTexts, type PassageBatch } from './analyse-document.ts';
import { readAnalysis, readTextsAnalysis } from './testing/analysed-passages.ts';

/** Stems by removing a plural s; knows one stop word. */
const stem: Stem = async (_language, words) =>
  words.map((word) => (word === 'the' ? '' : word.replace(/s$/, '')));
const analyseText = (content: string, title = 'Title') =>
  readAnalysis(analyseDocument({ title, format: 'text', content }, stem));

describe('analyseDocument', () => {
  it('returns rows as they are stored', async () => {
    const { passages } = await analyseText('# Cats\n\nThe cats of 😀 café', 'A title');
    expect(passages).toEqual([
      {
        position: 1,
        content: '# Cats\n\nThe cats of 😀 café',
        start_offset: '0',
        end_offset: '26',
        page: null,
        time_ms: null,
        later_starts: '',
        headings: '["Cats"]',
        language: expect.any(String),
        lexemes: expect.stringMatching(
          /^a:1A,4A,7A,10A title:2A,5A,8A,11A cats?:3A,6A,9A,12A,13B,14,16 the:15 of:17 😀:18 café:19 cafe:19 \/1\/a: /,
        ),
        length: 26,
        vector: null,
      },
    ]);
  });

  it('adds up the vectors of words, each as often as it occurs, those of the title once', async () => {
    const vectors: Record<string, number[]> = {
      zebra: [2, 2, 1],
      lion: [-5, -7, 1],
      '/1/zebra': [99, 99, 99],
    };
    const vectorOf = (word: string) => {
      const numbers = vectors[word];
      return numbers && Int8Array.from({ length: DIMENSIONS }, (_, i) => numbers[i] ?? -1);
    };
    const vectorsIn: VectorsIn = () => ({ vectorOf, mean: new Float32Array(DIMENSIONS), trust: 1 });
    const content = 'The zebras, and the lion: zebra';
    const document = { title: 'Zebra', format: 'text', content } as const;
    const { passages } = await readAnalysis(analyseDocument(document, stem, vectorsIn));
    const signs = `101${'0'.repeat(DIMENSIONS - 3)}`; // 3 * 2 - 5, 3 * 2 - 7, 3 * 1 + 1, 3 * -1 - 1
    const vector = expect.stringMatching(new RegExp(`^${signs}[01]{${2 * DIMENSIONS}}$`));
    expect(passages.map((passage) => passage.vector)).toEqual([vector]);
    const together = readTextsAnalysis(await analyseTexts([document], { expected: [], stem, vectorsIn }));
    expect(together.passages[0]?.map((passage) => passage.vector)).toEqual([vector]);
  });

  it('has no vector of a passage without a word that has a vector', async () => {
    const vectorOf = (word: string) => (word === 'zebra' ? new Int8Array(DIMENSIONS) : undefined);
    const vectorsIn: VectorsIn = () => ({ vectorOf, mean: new Float32Array(DIMENSIONS), trust: 1 });
    const document = { title: '', format: 'text', content: 'lions' } as const;
    const { passages } = await readAnalysis(analyseDocument(document, stem, vectorsIn));
    expect(passages.map(({ vector }) => vector)).toEqual([null]);
  });

  it('counts the passages of a lexeme, not its occurrences', async () => {
    const paragraph = 'word '.repeat(150);
    const { passages, documentFrequencies } = await analyseText(`${paragraph}\n\n${paragraph}\n\nonce`, '');
    expect(documentFrequencies.get('word')).toBe(passages.length);
    expect(documentFrequencies.get('once')).toBe(1);
  });

  it('requests the stem of each word once, and none for simple', async () => {
    const stemmed: [language: string, words: string[]][] = [];
    const english =
      'The committee agreed that the new regulation would not apply to small companies. '.repeat(30);
    const chinese = '委员会一致认为新规定不适用于小企业。'.repeat(60);
    const content = `${english}\n\n${chinese}\n\n`.repeat(60);
    await readAnalysis(
      analyseDocument({ title: '', format: 'text', content }, async (language, words) => {
        stemmed.push([language, words]);
        return words;
      }),
    );
    expect(stemmed).toEqual([['english', expect.arrayContaining(['committee', 'regulation'])]]);
  });

  it('indexes table headers with the rows below', async () => {
    const rows = '| Berlin | 3850809 |\n'.repeat(100);
    const { passages } = await analyseText(`| City | Population |\n|---|---|\n${rows}`);
    for (const { lexemes } of passages) expect(lexemes).toContain('population:');
  });

  it('finds every word of a passage by the same word in a query', async () => {
    const word = fc.stringMatching(/^[A-Za-zäöüéßñ_'.-]{1,12}$/u);
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 20 }), fc.nat(), async (words, pick) => {
        const { documentFrequencies, passages } = await analyseText(words.join(' '), '');
        const languages = [...new Set(passages.map(({ language }) => language ?? ''))];
        const query = readQuery(words[pick % words.length] ?? '');
        const stems = new Map<string, Stems>();
        for (const language of languages) {
          const known = language === 'simple' ? [] : await stem(language, query.toStem);
          stems.set(language, new Map(known.map((word, i) => [query.toStem[i] ?? '', word])));
        }
        const terms = analyseQuery(query, stems);
        for (const { lexemes } of terms)
          expect(lexemes.some((lexeme) => documentFrequencies.has(lexeme))).toBe(true);
      }),
    );
  });

  it('divides a large document into consecutive batches', async () => {
    const paragraph = 'word '.repeat(200);
    const content = Array.from({ length: 400 }, (_, i) => `${paragraph}number${i}`).join('\n\n');
    const batches: PassageBatch[] = [];
    for await (const batch of analyseDocument({ title: '', format: 'text', content }, stem))
      batches.push(batch);
    expect(batches.length).toBeGreaterThan(1);
    const { passages, documentFrequencies, totals } = await readAnalysis(asyncOf(batches));
    expect(passages.map(({ position }) => position)).toEqual(passages.map((_, i) => i + 1));
    expect(totals).toMatchObject({
      passageCount: passages.length,
      lengthTotal: passages.reduce((total, { length }) => total + length, 0),
    });
    expect(documentFrequencies.get('word')).toBe(passages.length);
  });

  it('counts all lexemes of a document with very many, some of them before its end', async () => {
    let state = 1;
    const ideograph = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return String.fromCharCode(0x4e00 + ((state >>> 8) % 20_000));
    };
    const content = Array.from({ length: 300_000 }, ideograph).join('');
    const batches: PassageBatch[] = [];
    for await (const batch of analyseDocument({ title: 'a', format: 'text', content }, stem))
      batches.push(batch);
    expect(batches.filter(({ documentFrequencies }) => documentFrequencies).length).toBeGreaterThan(1);
    const { passages, documentFrequencies } = await readAnalysis(asyncOf(batches));
    const expected = new Map<string, number>();
    for (const { lexemes } of passages) {
      for (const [, lexeme = ''] of (lexemes ?? '').matchAll(/(\S+?):\S* ?/g))
        expected.set(lexeme, (expected.get(lexeme) ?? 0) + 1);
    }
    expect(documentFrequencies).toEqual(expected);
  });

  it('returns rows of any document', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 500 });
    await fc.assert(
      fc.asyncProperty(text, text, async (title, content) => {
        const { passages, totals } = await analyseText(content, title);
        expect(passages).toHaveLength(totals?.passageCount ?? -1);
      }),
    );
  });

  it('accepts a lexeme with the name of a property of every object', async () => {
    const { documentFrequencies } = await analyseText('constructor __proto__ toString');
    expect(documentFrequencies.get('constructor')).toBe(1);
    expect(documentFrequencies.get('proto')).toBe(1);
  });
});

describe('analyseTexts', () => {
  const word = fc.constantFrom('the', 'dogs', 'der', 'Häuser', '北京', 'café', 'C++', 'привет', '__proto__');
  const content = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 500 }),
    fc.array(word, { maxLength: 300 }).map((words) => words.join(' ')),
    fc.constantFrom(
      '# Title\n\nThe first.\n\n## Part\n\n| a | b |\n|---|---|\n| 1 | 2 |\n',
      ' ',
      '\ufdfa'.repeat(300),
    ),
  );
  const texts = fc.array(fc.record({ title: fc.string({ maxLength: 30 }), content }), { maxLength: 6 });
  const expected = fc.constantFrom<Language[]>([], ['english'], ['german', 'english']);

  it('returns the passages that analyseDocument returns for each text, and the sums of the rest', async () => {
    await fc.assert(
      fc.asyncProperty(texts, expected, async (given, languages) => {
        const together = readTextsAnalysis(await analyseTexts(given, { expected: languages, stem }));
        const each = await Promise.all(
          given.map((text) =>
            readAnalysis(analyseDocument({ ...text, expected: languages, format: 'text' }, stem)),
          ),
        );
        expect(together.passages).toEqual(each.map(({ passages }) => passages));
        expect(together.passageCounts).toEqual(each.map(({ passages }) => passages.length));
        const sums = new Map<string, number>();
        for (const { documentFrequencies } of each)
          for (const [lexeme, count] of documentFrequencies)
            sums.set(lexeme, (sums.get(lexeme) ?? 0) + count);
        expect(together.documentFrequencies).toEqual(sums);
        const rows = together.passages.flat();
        expect(together.totals.passageCount).toBe(rows.length);
        expect(together.totals.lengthTotal).toBe(rows.reduce((sum, { length }) => sum + length, 0));
        expect([...together.totals.languageCounts.keys()].toSorted()).toEqual(
          [...new Set(rows.map(({ language }) => language))].toSorted(),
        );
      }),
    );
  });

  it('requests the stems of all texts at once', async () => {
    let calls = 0;
    const content = 'The committee agreed that the new regulation would not apply to small companies.';
    const given = Array.from({ length: 5 }, (_, i) => ({
      title: `Title ${i}`,
      content: `${content} number${i}x`,
    }));
    await analyseTexts(given, {
      expected: ['english'],
      stem: async (_language, words) => {
        calls++;
        return words;
      },
    });
    expect(calls).toBe(1);
  });

  it('lets other work run between texts that take long', async () => {
    const slow = Array.from({ length: 40 }, (_, i) => ({ title: `${i}`, content: '\ufdfa'.repeat(1_900) }));
    let isOver = false;
    let iterations = 0;
    const count = () => {
      iterations++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await analyseTexts(slow, { expected: [], stem });
    isOver = true;
    expect(iterations).toBeGreaterThan(3);
  });
});

async function* asyncOf<T>(values: T[]): AsyncGenerator<T> {
  yield* values;
}
