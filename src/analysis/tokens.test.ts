/** The tokens of texts in many scripts. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStemmable, TOKEN_MAX_LENGTH, tokenise } from './tokens.ts';

const tokensOf = (text: string) => tokenise(text).tokens;
const stackedTokensOf = (text: string) => tokenise(text).stackedTokens;

/** Any string, lone surrogates included. */
const anyString = fc.string({ unit: 'binary', maxLength: 300 });
const brokenString = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 200 })
  .map((units) => String.fromCharCode(...units));

/** Two variants of the same; a search for either must find the other. */
const variants: [reason: string, one: string, other: string][] = [
  ['case does not matter', 'PostgreSQL', 'postgresql'],
  ['full-width letters are letters', 'Ｐｏｓｔｇｒｅｓ', 'postgres'],
  ['half-width katakana is katakana', 'ﾃﾞｰﾀﾍﾞｰｽ', 'データベース'],
  ['ligatures are letters', 'oﬃce', 'office'],
  ['decomposed letters are composed ones', 'Sa\u0303o', 'São'],
  ['soft hyphens and zero-width characters are invisible', 'data\u00adba\u200bse', 'database'],
  ['a possessive is its noun', "Tesla's", 'Tesla'],
  ['typographic and typewriter apostrophes are one', 'O’Neill', "O'Neill"],
  ['an elided article is no part of its noun', "l'été", 'été'],
  ['an Italian elision is none either', "dell'arte", 'arte'],
  ['a name with an apostrophe is found without it', "O'Neill", 'ONeill'],
  ['a hyphenated word is found joined', 'e-mail', 'email'],
  ['a hyphenated word is found by its parts', 'state-of-the-art', 'art'],
  ['a code with digits is found joined', 'COVID-19', 'covid19'],
  ['snake case and camel case are one', 'max_wal_size', 'maxWalSize'],
  ['an identifier is found by its words', 'getUserById', 'user'],
  ['an acronym before a word is a word', 'HTTPServer', 'server'],
  ['a dotted name is found joined', 'Node.js', 'nodejs'],
  ['a dotted name is found by its parts', 'ASP.NET', '.NET'],
  ['a dotted acronym is found plain', 'U.S.A.', 'USA'],
  ['a version is found with and without its v', 'v2.1.0', '2.1.0'],
  ['a version is found by its major number', 'PostgreSQL 15.3', '15'],
  ['an ordinal is found by its number', '7th', '7'],
  ['an emoji has no colour of skin', '👍🏽', '👍'],
  ['a number is found without its unit', '100mg', '100'],
  ['a quantity is found with and without a space', '100mg', '100 mg'],
  ['a fiscal year is found by its number', 'FY2018', '2018'],
  ['a quarter of a fiscal year is found by its year', 'FY2023Q1', '2023'],
  ['a quarter of a fiscal year is found by its quarter', '2023Q1', 'Q1'],
  ['a word with a number is found with a space', 'COVID19', 'COVID 19'],
  ['a CVE is found by its year', 'CVE-2024-4367', '2024'],
  ['an address is found by its host', 'john.doe@example.com', 'example.com'],
  ['an address is found by its name', 'john.doe@example.com', 'doe'],
  ['a URL is found by its host', 'https://docs.example.com/a/b-c.html?x=1', 'docs.example.com'],
  ['alternatives are found each', 'input/output', 'output'],
  ['an ampersand joins', 'AT&T', 'at&t'],
  ['a scope operator joins', 'std::sort', 'sort'],
  ['words without a space after the full stop are words', 'end.Start', 'start'],
];

describe('tokenise', () => {
  it.each(variants)('%s: %s, %s', (_reason, one, other) => {
    const found = new Set(tokensOf(one));
    expect(tokensOf(other).some((token) => found.has(token))).toBe(true);
  });

  const wholes: [reason: string, text: string, token: string][] = [
    ['C++ is not C', 'C++', 'c++'],
    ['C# is not C', 'C#', 'c#'],
    ['a leading dot tells .NET from net', 'in .NET 8', '.net'],
    ['an IP address is one token', '10.0.0.1', '10.0.0.1'],
    ['a version keeps its dots: 1.10 is not 11.0', '1.10', '1.10'],
    ['a date is one token', '2024-01-15', '2024-01-15'],
    ['a decimal with thousands separators keeps its point', '12,345.67', '12345.67'],
    ['a long identifier is one token', 'getUserById', 'getuserbyid'],
    ['a full stop at the end is no part of a word', 'the end.', 'end'],
    ['a dot leader is none', 'wait...what', 'what'],
  ];
  it.each(wholes)('%s: %s', (_reason, text, token) => expect(tokensOf(text)).toContain(token));

  it('does not split a single letter from its number, nor a single digit from its word', () => {
    expect(tokensOf('p53 CD8')).toEqual(['p53', 'cd8']);
  });

  it('keeps the order of the text', () => {
    expect(tokensOf('The quick brown fox')).toEqual(['the', 'quick', 'brown', 'fox']);
  });

  it('returns a compound before its parts', () => {
    expect(tokensOf('set max_wal_size')).toEqual(['set', 'maxwalsize', 'max', 'wal', 'size']);
  });

  it('turns scripts without spaces into overlapping bigrams, and leaves a lone character', () => {
    expect(tokensOf('東京タワー 猫')).toEqual(['東京', '京タ', 'タワ', 'ワー', '猫']);
    expect(tokensOf('한국어')).toEqual(['한국', '국어']);
  });

  it('stacks the single characters of a run on its bigrams', () => {
    expect(tokenise('in 東京塔')).toEqual({
      tokens: ['in', '東京', '京塔'],
      stackedTokens: ['東', '京', '塔'],
      stackedAt: [1, 2, 2],
    });
    expect(stackedTokensOf('猫')).toEqual([]); // a token already
  });

  it('has no single hiragana or Thai characters, which are not informative', () => {
    expect(stackedTokensOf('タワーの高さ')).toEqual(['タ', 'ワ', '高']);
    expect(stackedTokensOf('กรุงเทพ')).toEqual([]);
  });

  it('joins Hangul across one space, where writers differ, and nothing else', () => {
    expect(tokensOf('데이터베이스')).toContain('터베');
    expect(stackedTokensOf('데이터 베이스')).toContain('터베');
    for (const text of ['데이터, 베이스', '데이터\n\n베이스', '데이터  베이스'])
      expect(stackedTokensOf(text)).not.toContain('터베');
    expect(stackedTokensOf('東京 大阪')).toEqual(['東', '京', '大', '阪']);
  });

  it('treats a Thai letter with its vowel signs as one character', () => {
    expect(tokensOf('ที่นี่')).toEqual(['ที่นี่']);
  });

  it('separates scripts that meet without a space', () => {
    expect(tokensOf('2024年iPhone手机')).toEqual(['2024', '年', 'iphone', 'phone', '手机']);
  });

  it('drops characters that PostgreSQL rejects', () => {
    expect(tokensOf('a\0b \ud800c')).toEqual(['ab', 'c']);
  });

  it('truncates a very long word', () => {
    const [token] = tokensOf('x'.repeat(5000));
    expect(token).toHaveLength(TOKEN_MAX_LENGTH);
  });

  it('never throws, and returns tokens that PostgreSQL accepts as lexemes', () => {
    fc.assert(
      fc.property(fc.oneof(anyString, brokenString), (text) => {
        const { tokens, stackedTokens, stackedAt } = tokenise(text);
        expect(stackedAt).toHaveLength(stackedTokens.length);
        for (const index of stackedAt) expect(tokens[index]).toBeDefined();
        for (const token of [...tokens, ...stackedTokens]) {
          expect(token).not.toBe('');
          expect(token.isWellFormed()).toBe(true);
          expect(token).not.toContain('\0');
          expect(token.length).toBeLessThanOrEqual(TOKEN_MAX_LENGTH);
        }
      }),
    );
  });

  it('finds whole words anywhere in a text', () => {
    const word = fc.stringMatching(/^[a-zäöüéßа-яα-ω]{1,12}$/u);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), fc.nat(), (words, pick) => {
        const wanted = words[pick % words.length] ?? '';
        expect(tokensOf(words.join(' '))).toEqual(expect.arrayContaining(tokensOf(wanted)));
      }),
    );
  });

  it('finds any two neighbouring ideographs of a run', () => {
    const ideographs = fc.array(fc.integer({ min: 0x4e00, max: 0x9fff }), { minLength: 2, maxLength: 20 });
    fc.assert(
      fc.property(ideographs, fc.nat(), (codePoints, pick) => {
        const at = pick % (codePoints.length - 1);
        const part = String.fromCodePoint(...codePoints.slice(at, at + 2));
        expect(tokensOf(String.fromCodePoint(...codePoints))).toEqual(expect.arrayContaining(tokensOf(part)));
      }),
    );
  });
});

describe('isStemmable', () => {
  it.each(['running', 'über', 'бегущий', 'हिन्दी'])('a word may be stemmed: %s', (token) =>
    expect(isStemmable(token)).toBe(true),
  );
  it.each(['x86', '3.14', 'c++', '.net', '東京', 'ไทย'])('an identifier or bigram may not: %s', (token) =>
    expect(isStemmable(token)).toBe(false),
  );
});
