import { describe, expect, it, test } from 'vitest';
import { respellings, transcriptions } from './spellings.ts';

describe('respellings', () => {
  it('has each word one edit away, by its first letter', () => {
    const { sameStart, otherStart } = respellings('cat');
    expect(sameStart).toEqual(expect.arrayContaining(['ca', 'cart', 'cats', 'cut', 'cta']));
    expect(otherStart).toEqual(expect.arrayContaining(['at', 'scat', 'bat', 'act']));
    const all = [...sameStart, ...otherStart];
    expect(new Set(all).size).toBe(all.length);
    expect(all).not.toContain('cat');
  });

  it('has no accents, and the letters of the script of the word', () => {
    const { sameStart } = respellings('тест');
    expect(sameStart).toEqual(expect.arrayContaining(['тист', 'тесты']));
    expect(sameStart.join('')).not.toMatch(/[a-z]/);
    expect(respellings('été').sameStart).toEqual(expect.arrayContaining(['et', 'etes']));
  });

  it('grows with the length of a word only', () => {
    const { sameStart, otherStart } = respellings('abcdefghij');
    expect(sameStart.length + otherStart.length).toBeLessThan(550);
  });
});

test.each([
  ['mueller', ['muller']],
  ['müller', ['mueller']],
  ['neubauer', ['neubaur']],
  ['ågård', ['aagaard']],
  ['aagaard', ['agaard', 'aagard', 'agard']],
  ['haus', []],
])('%s is transcribed as %j', (word, expected) => {
  expect(transcriptions(word).toSorted()).toEqual(expected.toSorted());
});
