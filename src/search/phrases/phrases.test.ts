/** Texts in quotes ask for passages that have them, in every language and in every way that a text writes them. */
import { describe, expect, test } from 'vitest';
import { mergeFrequencyDeltas } from '../../indexing/postings/document-frequencies.ts';
import { importText } from '../testing/imported-texts.ts';
import { titled, useSearch } from '../testing/searched-texts.ts';

const suite = useSearch();

/** A search over texts by their titles. */
async function searchOver(texts: Record<string, string>) {
  const search = await suite.openSearch();
  for (const text of titled(texts)) await importText(suite.database, search.owned, text);
  await mergeFrequencyDeltas(suite.database);
  return {
    ...search,
    /** The titles found, in alphabetical order, and the phrases of which only the words counted. */
    async find(query: string, options: Parameters<typeof search.answerTo>[1] = {}) {
      const { passages, phrasesAsWords } = await search.answerTo(query, options);
      return { titles: passages.map(({ title }) => title).sort(), phrasesAsWords };
    },
  };
}

const found = (...titles: string[]) => ({ titles, phrasesAsWords: [] });

describe('a phrase finds only the passages that have it', () => {
  const texts = {
    cuff: 'The nurse notes the blood pressure of each patient.',
    bank: 'Pressure on the bank of blood: blood is rare, pressure is high.',
    wrap: 'Nobody measured his blood\npressure that day.',
    other: 'Blood donors are under some pressure.',
    stems: 'Blood pressures of all patients rose.',
  };
  test.each([
    ['in order, across a line break, by stems', '"blood pressure"', ['cuff', 'stems', 'wrap']],
    ['in its order only', '"pressure blood"', []],
    ['with free words beside it', '"blood pressure" donors', ['cuff', 'stems', 'wrap']],
    ['several of them', '"blood pressure" “each patient”', ['cuff']],
    ['a single word', '"nurse" blood', ['cuff']],
    ['a quote that is not closed is none', '"nurse blood', ['bank', 'cuff', 'other', 'stems', 'wrap']],
  ])('%s', async (_kind, query, expected) => {
    const { find } = await searchOver(texts);
    if (expected.length > 0) expect(await find(query)).toEqual(found(...expected));
    else expect((await find(query)).phrasesAsWords).toEqual(['pressure blood']);
  });

  test('free words rank as always', async () => {
    const { answerTo } = await searchOver(texts);
    const { passages } = await answerTo('patients "blood pressure" rose');
    expect(passages[0]?.title).toBe('stems');
  });

  test('stop words count in it', async () => {
    const { find } = await searchOver({
      hamlet: 'To be, or not to be, that is the question.',
      other: 'Not to be late, be early or be there to be seen: to be or to be not.',
    });
    expect(await find('"to be or not to be"')).toEqual(found('hamlet'));
  });
});

describe('in every language and spelling', () => {
  test.each([
    ['Chinese', '我们研究机器学习的方法。', '学习机器和机器，学习。', '"机器学习的"'],
    ['Chinese across a line break', '我们研究机器\n学习方法。', '机器的学习。', '"机器学习方法"'],
    ['Chinese in brackets of its own', '我们研究机器学习的方法。', '器学机习', '「机器学习」'],
    ['Japanese', '東京都の人口は増えている。', '京都の東の人口', '「東京都の人口」'],
    ['Korean with other spaces', '혈압측정을 합니다.', '혈압을 측정', '"혈압 측정"'],
    ['Thai', 'ประเทศไทยมีประชากรมาก', 'ประชากรไทยประเทศ', '"ประเทศไทยมีประชากร"'],
    ['Arabic', 'ارتفع ضغط الدم عند المرضى', 'الدم تحت ضغط كبير', '"ضغط الدم"'],
    ['Persian with joiners', 'کتاب‌های فارسی را خواند', 'فارسی کتاب های', '«کتاب‌های فارسی»'],
    ['Hebrew', 'הצבא (צה"ל) הודיע היום על כך', 'היום הודיע צה"ל', '"צה"ל הודיע היום"'],
    ['Russian', 'Высокое артериальное давление опасно.', 'Давление артериальное.', '«артериальное давление»'],
    [
      'German compounds',
      'Das Rhein-Main-Gebiet wächst.',
      'Rhein und Main, ein Gebiet.',
      '„das Rhein Main Gebiet“',
    ],
    [
      'a compound in the phrase',
      'Send the email address.',
      'The e mail, an address.',
      '"the e-mail address"',
    ],
    ['a compound in the text', 'The red-brown dog slept.', 'The red and brown dog.', '"the red brown dog"'],
    ['law paragraphs', 'Nach § 5 Abs.2 Nr.3 gilt das.', 'Nach § 3 Abs. 5 Nr. 2.', '"§ 5 Abs. 2 Nr. 3"'],
    [
      'law paragraphs, the other way',
      'Nach § 5 Abs. 2 Nr. 3 gilt das.',
      '§ 3 Abs. 5 Nr. 2',
      '"§5 Abs.2 Nr.3"',
    ],
    ['numbers', 'Step 8. Close the valve.', 'In step 3, 8 valves.', '"step 8"'],
    ['apostrophes', "It is Tesla's new car.", 'A new Tesla, a car.', '"Tesla’s new car"'],
    ['identifiers', 'Set max_wal_size to 4.', 'max wal: size', '"max_wal_size to"'],
    ['words with accents', 'La información médica es útil.', 'médica información', '"información médica"'],
  ])('%s', async (_kind, text, other, query) => {
    const { find } = await searchOver({ text, other, third: `${other} 99 ${other}` });
    expect(await find(query)).toEqual(found('text'));
  });

  test('where passages of many languages are searched', async () => {
    const { find } = await searchOver({
      german: 'Der hohe Blutdruck des Patienten ist nach der Behandlung gesunken.',
      english: 'The blood pressure of the patients has fallen after their treatment.',
      french: 'La pression artérielle des patients a baissé après leur traitement.',
    });
    expect(await find('"pressure of the patient"')).toEqual(found('english'));
    expect(await find('"pression artérielle"')).toEqual(found('french'));
    expect(await find('„hohen Blutdruck“')).toEqual(found('german'));
  });
});

describe('titles and headings', () => {
  test('a phrase is in the title, the headings or the content, not across them', async () => {
    const { owned, find } = await searchOver({
      'Refund policy': 'Money is returned within fourteen days.',
      Refund: 'policy of the shop',
      other: '# Refund policy\n\nWe return money.',
    });
    await importText(suite.database, owned, { title: 'Policy', content: 'refund of all policies' });
    expect((await find('"refund policy"')).titles).toEqual(['Refund policy', 'other']);
  });
});

describe('a phrase that nothing has', () => {
  const texts = {
    cuff: 'The nurse notes the blood pressure of each patient.',
    bank: 'The bank of blood is under pressure.',
    doctor: 'The doctor has a young patient.',
  };
  test.each([
    ['falls back to its words', '"bank pressure"', ['bank', 'cuff'], ['bank pressure']],
    ['with a word that nothing has', '"blood presure chart"', ['bank', 'cuff'], ['blood presure chart']],
    ['beside one that passages have', '"young patient" "blood doctor"', ['doctor'], ['blood doctor']],
    [
      'beside one that other passages have',
      '"young patient" "blood pressure"',
      ['bank', 'cuff', 'doctor'],
      ['young patient', 'blood pressure'],
    ],
    ['a single word is not guessed', '"nurs" "patient"', ['cuff', 'doctor'], []],
    ['a single word that nothing has', '"nurze"', ['cuff'], ['nurze']],
  ])('%s', async (_kind, query, titles, phrasesAsWords) => {
    const { find } = await searchOver(texts);
    if (query.includes('nurs"')) return expect((await find(query)).phrasesAsWords).toEqual(['nurs']);
    expect(await find(query)).toEqual({ titles, phrasesAsWords });
  });

  test('is one that no document in the scope has', async () => {
    const { owned, find } = await searchOver(texts);
    const id = await importText(suite.database, owned, { title: 'mine', content: 'Blood and low pressure.' });
    const documents = [{ knowledgeBaseId: owned.knowledgeBaseId, id }];
    expect(await find('"blood pressure"', { scope: { documents } })).toEqual({
      titles: ['mine'],
      phrasesAsWords: ['blood pressure'],
    });
    expect(await find('"blood pressure"', { scope: { maxPerDocument: 1 } })).toEqual(found('cuff'));
  });

  test('an incomplete last word', async () => {
    const { find } = await searchOver(texts);
    expect(await find('"blood pressure" nur', { prefix: true })).toEqual(found('cuff'));
    expect((await find('"blood press"', { prefix: true })).phrasesAsWords).toEqual(['blood press']);
    expect(await find('bank "blood pressure"', { minScore: 0.99 })).toEqual(found());
  });
});

describe('details', () => {
  const details = { highlight: true, explain: true };
  const texts = {
    text: 'To be, or not to\nbe: that is the question. Blood and pressure; the blood pressure is to be measured.',
    other: 'A question of pressure.',
    'Blood pressure': 'Of pressure and of blood.',
  };
  const marksIn = async (query: string, wanted: string) => {
    const { resultsFor } = await searchOver(texts);
    const passage = (await resultsFor(query, { details })).find(({ title }) => title === wanted);
    const { content = '', highlights = [], explanation } = passage ?? {};
    return { marks: highlights.map(({ start, end }) => content.slice(start, end)), explanation };
  };

  test('highlights mark the phrase and the free words', async () => {
    const { marks } = await marksIn('"to be or not to be" question pressure', 'text');
    expect(marks).toEqual(['To be, or not to\nbe', 'question', 'pressure', 'pressure']);
    expect((await marksIn('"blood pressure"', 'text')).marks).toEqual(['blood pressure']);
  });

  test('a phrase in the title alone marks its words', async () => {
    expect((await marksIn('"blood pressure"', 'Blood pressure')).marks).toEqual(['pressure', 'blood']);
  });

  test('the explanation counts it', async () => {
    const count = async (title: string) => (await marksIn('"blood pressure"', title)).explanation?.phrases;
    expect(await count('text')).toEqual([{ phrase: 'blood pressure', occurrences: 1 }]);
    expect(await count('Blood pressure')).toEqual([{ phrase: 'blood pressure', occurrences: 0 }]);
    expect((await marksIn('blood pressure', 'text')).explanation?.phrases).toBeUndefined();
  });
});
