/** With `prefix`, the last word of a query finds passages by the words that begin with it. */
import { expect, test } from 'vitest';
import { usedMsOf } from '../../../contract-tests/harness/machine/processor-time.ts';
import { createStemMemory } from '../../indexing/stems.ts';
import { createSearch } from '../search.ts';
import { importText, makeKnowledgeBase } from '../testing/imported-texts.ts';
import { titled, useSearch } from '../testing/searched-texts.ts';
import { completionsOf, incompleteTokens } from './completions.ts';

const suite = useSearch();

/** Imports the texts into a new knowledge base. Returns a function that searches for incomplete words, by titles. */
async function openTyped(texts: Record<string, string>) {
  const owned = await makeKnowledgeBase(suite.database);
  for (const text of titled(texts)) await importText(suite.database, owned, text);
  const search = createSearch(suite.database, createStemMemory());
  return async (query: string, prefix = true) => {
    const { accountId } = owned;
    const { passages } = await search({
      accountId,
      knowledgeBaseIds: undefined,
      query,
      prefix,
      limit: 10,
    });
    return passages.map(({ title }) => title);
  };
}

test.each([
  ['English', 'reimbursement', 'The reimbursement takes a week.', 'Parking is free of charge.'],
  ['English beyond the stem', 'running shoes', 'He was running in old shoes.', 'Parking is free of charge.'],
  ['German', 'Überstundenregelung', 'Die Überstundenregelung gilt für alle.', 'Parken ist kostenlos.'],
  ['French', 'été', 'Nous fermons pendant l’été.', 'Le parking ouvre à midi.'],
  ['Russian', 'отпуск', 'Ежегодный отпуск длится месяц.', 'Парковка бесплатна.'],
  ['Arabic', 'إجازات', 'تبدأ الإجازات في الصيف.', 'موقف مجاني للسيارات هنا.'],
  ['Hindi', 'छुट्टियां', 'हर साल बीस छुट्टियां मिलती हैं।', 'पार्किंग मुफ़्त है।'],
  ['Chinese', '年假政策', '年假政策适用于所有员工。', '停车免费。'],
  ['Japanese', '有給休暇', '有給休暇は二十日です。', '駐車は無料。'],
  ['Japanese in kana', 'すしのメニュー', 'すしのメニューはこちら。', '駐車場。'],
  ['Thai', 'วันลา', 'วันลาพักร้อนมีสิบวัน', 'จอดรถฟรี'],
  ['Korean', '휴가', '휴가는 이십 일입니다.', '주차 무료.'],
  ['an identifier', 'CVE-2024-4367', 'Fixed CVE-2024-4367 in the viewer.', 'Parking is free.'],
])('%s: %s finds its passage from the first letter on', async (_kind, word, answer, other) => {
  const typed = await openTyped({ answer, other });
  const letters = Array.from(word);
  for (const [i] of letters.entries()) {
    const beginning = letters.slice(0, i + 1).join('');
    if (/[\p{L}\p{N}]$/u.test(beginning)) expect((await typed(beginning))[0], beginning).toBe('answer');
  }
});

test('an Arabic article, which no lexeme has, may stand before the beginning', async () => {
  const typed = await openTyped({ answer: 'تبدأ الإجازات في الصيف.', other: 'موقف مجاني للسيارات هنا.' });
  expect(await typed('الإجا')).toEqual(['answer']);
});

test('only the last word is incomplete, and only with the option', async () => {
  const typed = await openTyped({ answer: 'The reimbursement takes a week.', other: 'Parking is free.' });
  expect(await typed('rei')).toEqual(['answer']);
  expect(await typed('rei', false)).toEqual([]);
  expect(await typed('rei free')).toEqual(['other']);
  expect(await typed('free rei')).toContain('answer');
});

test('a word as written counts more than those that begin with it', async () => {
  const typed = await openTyped({
    longer: 'A carpet and a cartoon are in the cargo.',
    exact: 'A car is in front of the house of the director.',
    other: 'Parking is free of charge.',
  });
  expect(await typed('car')).toEqual(['exact', 'longer']);
});

test('the words before the last one decide between completions', async () => {
  const typed = await openTyped({
    contact: 'The contact of the press office is on this page.',
    contract: 'The contract with the supplier ends in May.',
  });
  expect((await typed('supplier cont'))[0]).toBe('contract');
  expect((await typed('press cont'))[0]).toBe('contact');
});

test.each([
  ['', []],
  ['...', []],
  ['reise', ['reise']],
  ['kosten reise ', ['reise']],
  ['Reisekosten-Abr', ['reisekostenabr', 'abr']],
  ['CVE-2024-4', ['cve2024-4', '4']],
  ['北京大', ['京大']],
])('%s: the incomplete tokens are %j', (query, tokens) => {
  expect(incompleteTokens(query)).toEqual(tokens);
});

test('the incomplete tokens of the longest query take little processor time', async () => {
  const usedMs = await usedMsOf(() => {
    expect(incompleteTokens(`${'x'.repeat(8_190)} y`)).toEqual(['y']);
  });
  expect(usedMs).toBeLessThan(100);
});

test('completions are the most frequent words, without those that are everywhere', () => {
  const frequencies = { the: 990, to: 999, that: 500, tax: 200, trip: 100, ticket: 90, tundra: 1 };
  const { patterns, choose } = completionsOf({ word: 't', stems: [] }, 1_000);
  const found = patterns.map(({ start }) => new Map(start === 't' ? Object.entries(frequencies) : []));
  expect(choose(found)).toEqual(['trip', 'ticket', 'tax', 'that', 'tundra', 'the', 'to']);
});

test('one letter finds frequent words that come late in the alphabet, whatever the vocabulary', () => {
  const { patterns, choose } = completionsOf({ word: 's', stems: [] }, 10_000);
  const found = patterns.map(({ start }) => {
    if (start === 's') return new Map([['saab', 1]]);
    return new Map(start === '/2/s' ? [['/2/system', 100]] : []);
  });
  expect(choose(found)).toEqual(['system', 'saab']);
});

test('a passage with the word comes before those that only have longer ones, however often', async () => {
  const typed = await openTyped({
    word: 'A net hangs there, among many other things that stand in the long hall of the old house by the sea.',
    longer: 'Network, networks, networking: network.',
  });
  expect(await typed('net')).toEqual(['word', 'longer']);
});
