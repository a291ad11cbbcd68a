/** The language of a text and of its passages. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectLanguage, detectPassageLanguage, hasManyStopWords, LANGUAGES } from './language.ts';

const sentences: [language: string, text: string][] = [
  ['english', 'The committee agreed that the new regulation would not apply to small companies.'],
  ['german', 'Der Ausschuss war sich einig, dass die neue Verordnung nicht für kleine Unternehmen gilt.'],
  ['french', 'Le comité a convenu que le nouveau règlement ne s’appliquerait pas aux petites entreprises.'],
  ['spanish', 'El comité acordó que la nueva normativa no se aplicaría a las pequeñas empresas.'],
  ['portuguese', 'O comité concordou que o novo regulamento não se aplicaria às pequenas empresas.'],
  ['italian', 'Il comitato ha convenuto che il nuovo regolamento non si applicherà alle piccole imprese.'],
  ['dutch', 'De commissie was het erover eens dat de nieuwe verordening niet voor kleine bedrijven geldt.'],
  ['swedish', 'Kommittén var överens om att den nya förordningen inte skulle gälla små företag.'],
  ['turkish', 'Komite, yeni yönetmeliğin küçük şirketler için geçerli olmayacağı konusunda anlaştı.'],
  ['russian', 'Комитет согласился, что новое положение не будет применяться к малым предприятиям.'],
  ['arabic', 'اتفقت اللجنة على أن اللائحة الجديدة لن تنطبق على الشركات الصغيرة.'],
  ['greek', 'Η επιτροπή συμφώνησε ότι ο νέος κανονισμός δεν θα ισχύει για τις μικρές επιχειρήσεις.'],
  ['hindi', 'समिति इस बात पर सहमत हुई कि नया नियम छोटी कंपनियों पर लागू नहीं होगा।'],
  ['indonesian', 'Panitia sepakat bahwa peraturan baru tidak akan berlaku untuk perusahaan kecil.'],
];

describe('detectLanguage', () => {
  it.each(sentences)('recognises %s', (language, text) => expect(detectLanguage(text)).toBe(language));

  it.each([
    ['Chinese', '委员会一致认为新规定不适用于小企业。'],
    ['Japanese', '委員会は新しい規則が中小企業には適用されないことに合意した。'],
    ['Korean', '위원회는 새 규정이 소기업에는 적용되지 않는다는 데 동의했다.'],
    ['Thai', 'คณะกรรมการเห็นพ้องกันว่าระเบียบใหม่จะไม่ใช้กับบริษัทขนาดเล็ก'],
    ['Chinese with English names', '我们使用 PostgreSQL 和 Node.js 开发了一个新的检索系统。'],
    [
      'Polish, which PostgreSQL cannot stem',
      'Komitet uznał, że nowe rozporządzenie nie będzie miało zastosowania.',
    ],
    ['a number', '12345'],
    ['nothing', ''],
  ])('has no stemmer for %s', (_language, text) => expect(detectLanguage(text)).toBe('simple'));

  it.each([
    ['names and a date', 'CACM March, 1961 Wood, T. C. CA610305 JB March 17, 1978 12:41 AM', 'english'],
    ['a few words', 'Rotary valve', 'english'],
    ['a number', '12345', 'english'],
    ['a sentence in another language', sentences[1]?.[1] ?? '', 'german'],
    ['a word in other letters', 'Комитет', 'russian'],
    ['Chinese', '委员会一致认为', 'simple'],
  ])('detects %s among English texts', (_what, text, language) =>
    expect(detectLanguage(text, ['english'])).toBe(language),
  );

  it('chooses the likeliest of several expected languages', () => {
    expect(detectLanguage('neue Verordnung', ['english', 'german'])).toBe('german');
    expect(detectLanguage('new regulation', ['german', 'english'])).toBe('english');
  });

  it('ignores a title page in another language', () => {
    const german = 'Der Ausschuss war sich einig, dass die Verordnung nicht für kleine Unternehmen gilt. ';
    expect(detectLanguage(`Licensed under the terms of the licence. ${german.repeat(200)}`)).toBe('german');
  });

  it('never throws', () => {
    const text = fc.string({ unit: 'binary' });
    const expected = fc.subarray([...LANGUAGES]);
    fc.assert(fc.property(text, expected, (...given) => LANGUAGES.includes(detectLanguage(...given))));
  });
});

describe('detectPassageLanguage', () => {
  it('gives a short passage the language of its document', () => {
    expect(detectPassageLanguage('Die Hard', 'english')).toBe('english');
  });

  it('detects another language of a long passage', () => {
    const german = sentences[1]?.[1] ?? '';
    expect(detectPassageLanguage(`${german} ${german}`, 'english')).toBe('german');
  });
});

describe('isToldByStopWords', () => {
  const english = new Set(['the', 'of', 'and', 'in', 'is', 'was', 'on', 'a']);
  const isEnglish = (text: string) => hasManyStopWords(text.split(' '), (token) => english.has(token));
  it.each([
    ['a sentence of the language', 'the end of the war was near in the town', true],
    ['another language that shares a word', 'der mann was nun in der stadt alles sehen wollte', false],
    ['a list of names', 'berlin paris london madrid rome', false],
    ['nothing', '', false],
  ])('%s', (_what, text, told) => expect(isEnglish(text)).toBe(told));
});
