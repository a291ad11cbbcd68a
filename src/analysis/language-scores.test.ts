/** The scores of languages equal the scores by the package eld, which the table comes from. */
import { eld } from 'eld/extrasmall';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SCORED_LANGUAGES, scoreLanguages } from './language-scores.ts';

const expectEldsScores = (text: string): void => {
  const elds = eld.detect(text);
  const { scores, best, isReliable } = scoreLanguages(text);
  const byCode = [...scores].map((score, index) => [SCORED_LANGUAGES[index] ?? '', score] as const);
  const found = Object.fromEntries(byCode.filter(([, score]) => score > 0));
  const expected = elds.getScores();
  expect(Object.keys(found).sort()).toEqual(Object.keys(expected).sort());
  for (const [code, score] of Object.entries(expected)) expect(found[code]).toBeCloseTo(score, 9);
  expect(best === undefined ? '' : SCORED_LANGUAGES[best]).toBe(elds.language);
  expect(isReliable).toBe(elds.isReliable());
};

test.each([
  'The committee agreed that the new regulation would not apply to small companies, didn’t it?',
  "L'accord de l'été n'est-il pas 'signé' ? Voir https://example.com/a?b=c (page 12).",
  'Der Ausschuss war sich einig, dass die Straßenverkehrszulassungsordnung nicht gilt. '.repeat(20),
  'Комитет согласился, что новое положение не будет применяться к малым предприятиям. '.repeat(9),
  'समिति इस बात पर सहमत हुई कि नया नियम छोटी कंपनियों पर लागू नहीं होगा।',
  'اتفقت اللجنة على أن اللائحة الجديدة لن تنطبق على الشركات الصغيرة.',
  'Ìgbìmọ̀ náà gbà pé òfin tuntun kò ní kan àwọn ilé-iṣẹ́ kéékèèké.',
  'İSTANBUL ILIK 𝒜 x\ud800y',
  'a',
  '12345',
  '',
])('%s', expectEldsScores);

// eld makes the end of a word of more than 70 bytes an n-gram of its own, which no language has.
test('any text of words that are not too long', () => {
  const letters = fc.oneof(
    ...[
      'etaoinshrdlu',
      'äöüßéèçøåłőşığ',
      'оеаинтсрвл',
      'ενατσκλ',
      'אבגדהוי',
      'ابتثجحخ',
      'कखगघचछ',
      'กขคงจ',
      '𐐀𝒜',
    ].map((alphabet) => fc.string({ unit: fc.constantFrom(...alphabet, "'", '’', '-'), maxLength: 17 })),
  );
  fc.assert(fc.property(fc.array(letters, { maxLength: 80 }), (words) => expectEldsScores(words.join(' '))));
});
