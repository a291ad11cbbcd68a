/** A query word that no passage contains finds passages by words near it. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { tokenise } from '../../analysis/tokens.ts';
import type { Queryable } from '../../database/connection/database.ts';
import type { OwnedKnowledgeBase } from '../../database/rows/knowledge-bases.ts';
import { isCitus } from '../../database/testing/new-database.ts';
import { insertRemovalDeltas, mergeFrequencyDeltas } from '../../indexing/postings/document-frequencies.ts';
import { createStemMemory } from '../../indexing/stems.ts';
import { createQueryAnalysis } from '../query/query-analysis.ts';
import { createSearch } from '../search.ts';
import { importText } from '../testing/imported-texts.ts';
import { useSearch } from '../testing/searched-texts.ts';
import { expandTerms } from './expansion.ts';
import { guessableWords } from './fuzzy-matches.ts';

const suite = useSearch();
const { orderOf, openSearch } = suite;

/** Texts of other words, one in each language. */
const NOISE = {
  german: 'Die Katze schläft den ganzen Tag auf dem Sofa und träumt von einer großen Maus.',
  english: 'The cat sleeps on the sofa all day and dreams of a mouse that it has never seen.',
};

test.each([
  ['German', 'Reisekosten', 'Die Reisekostenabrechnung ist bis zum Ende des Monats einzureichen.'],
  ['German', 'Versicherung', 'Die Krankenversicherung beginnt mit dem ersten Tag der neuen Arbeit.'],
  ['German', 'Reisekostenabrechnung', 'Die Reisekosten werden nach der Abrechnung vom Arbeitgeber bezahlt.'],
  [
    'Dutch',
    'verzekering',
    'De ziektekostenverzekering vergoedt de kosten van de huisarts en het ziekenhuis.',
  ],
  ['Swedish', 'ansökan', 'Din semesteransökan ska lämnas till chefen senast två veckor före ledigheten.'],
  ['Swedish', 'ansökan', 'Ansökningsblanketten finns på vår webbplats och ska skickas med posten.'],
  ['Finnish', 'lomake', 'Täytä hakemuslomake huolellisesti ja palauta se toimistoon ennen perjantaita.'],
  ['Finnish', 'matkalasku', 'Täytä matkalaskulomake heti matkan jälkeen ja lähetä se esimiehelle.'],
  ['English', 'recipts', 'Keep all receipts of your journey until the expenses have been paid.'],
  ['English', 'pasword', 'To change your password, open the settings and choose a new one.'],
  ['Swedish', 'ansökan', 'Ansökningar tas emot till sista mars varje år av vår personalavdelning.'],
  ['English', 'organizatoin', 'Each organization has its own rules for working from home.'],
  ['English', 'refridgerater', 'The refrigerator in the kitchen is cleaned every Friday afternoon.'],
  ['Russian', 'отпсук', 'Ежегодный отпуск предоставляется после шести месяцев работы.'],
  ['Greek', 'αδεα', 'Η ετήσια άδεια χορηγείται μετά από έξι μήνες εργασίας στην εταιρεία.'],
  ['Arabic', 'الموضفين', 'يحصل جميع الموظفين على إجازة سنوية مدفوعة الأجر بعد ستة أشهر.'],
  ['Hindi', 'छुट्टीयां', 'सभी कर्मचारियों को हर साल बीस दिन की छुट्टियां मिलती हैं।'],
])('%s: %s finds "%s"', async (_language, query, answer) => {
  expect(await orderOf({ answer, ...NOISE }, query)).toEqual(['answer']);
});

test.each([
  ['Juergen Mueller', 'Please ask Jürgen Müller about the budget of the whole department.'],
  ['Juergen Mueller', 'Bitte fragen Sie Jürgen Müller nach dem Haushalt der ganzen Abteilung.'],
  ['Juergen Mueller', 'Demandez à Jürgen Müller le budget de tout le département pour cette année.'],
  ['Jürgen Müller', 'Please ask Juergen Mueller about the budget of the whole department.'],
  ['Jürgen Müller', 'Bitte fragen Sie Juergen Mueller nach dem Haushalt der ganzen Abteilung.'],
  ['Luedenscheider Strasse', 'Das Büro liegt an der Lüdenscheider Straße gleich neben dem Bahnhof.'],
  ['Soerensen', 'Kontakt Sørensen, hvis du har spørgsmål om rejsen eller hotellet.'],
  ['Aagaard', 'Kontakt Ågård, hvis du har spørgsmål om rejsen eller om hotellet.'],
  ['Ågård', 'Please contact Aagaard if you have a question about the journey or the hotel.'],
])('%s finds "%s"', async (query, answer) => {
  expect(await orderOf({ answer, ...NOISE }, query)).toEqual(['answer']);
});

const ANSWER = 'Keep all receipts of your journey until the expenses have been paid.';

test.each([
  ['CVE-2024-4367', 'Fixed CVE-2024-4368 in the viewer.'],
  ['10.0.0.1', 'The router is 10.0.0.2 here.'],
  ['INV2023001', 'The number of the invoice is INV2023002.'],
  ['max_wal_sizes', 'Raise max_wal_sized before the import.'],
  ['node.jss', 'Runs on node.jsx from now on.'],
  ['getUsersById', 'Call getUserById() first.'],
  ['jane.doe@example.org', 'Write to jane.dove@exemple.com today.'],
  ['https://exampel.org/receips', ANSWER],
])('an identifier is not guessed: %s', async (query, other) => {
  const words = guessableWords(`${query}, please: ${query}`);
  expect([...words]).toEqual(['please']);
  const { owned, resultsFor } = await openSearch();
  await importText(suite.database, owned, { title: 'Other', content: other });
  const exact = new Set(tokenise(other).tokens).intersection(new Set(tokenise(query).tokens));
  expect(await resultsFor(query)).toHaveLength(exact.size > 0 ? 1 : 0);
});

test('words of letters are guessed, with any punctuation around them, and hyphenated ones by their parts', () => {
  const query = "(recipts), “pasword”; l’asurance: self-servce… Tesla's? end.";
  expect(guessableWords(query)).toEqual(
    new Set(['recipts', 'pasword', 'asurance', 'self', 'servce', 'tesla', 'end']),
  );
});

test('an exact answer scores more than a guess, and a guess less than an exact answer would', async () => {
  const { owned, resultsFor } = await openSearch();
  await importText(suite.database, owned, { title: 'Guess', content: ANSWER });
  const [guess] = await resultsFor('recipts');
  const [exact] = await resultsFor('receipts');
  expect(guess?.score).toBeLessThan(exact?.score ?? 0);
  await importText(suite.database, owned, { title: 'Exact', content: ANSWER.replace('receipts', 'recipts') });
  const results = await resultsFor('recipts');
  expect(results.map(({ title }) => title)).toEqual(['Exact']);
});

test('the other words of the query decide between guesses', async () => {
  const order = await orderOf(
    {
      phone: 'The contact form is on the page of the team.',
      law: 'The contract ends on the last day of the year, and is renewed in writing only.',
      ...NOISE,
    },
    'contarct renewed',
  );
  expect(order[0]).toBe('law');
});

test('fuzzy matches are found before and after the counts of imports are merged, not after a deletion', async () => {
  const { owned, resultsFor } = await openSearch();
  const id = await importText(suite.database, owned, { title: 'T', content: ANSWER });
  const unmerged = await resultsFor('recipts jorney expenseaccount');
  expect(unmerged).toHaveLength(1);
  await mergeFrequencyDeltas(suite.database);
  expect(await resultsFor('recipts jorney expenseaccount')).toEqual(unmerged);
  await suite.database
    .transaction()
    .execute((transaction) => insertRemovalDeltas(transaction, { ...owned, ids: [id] }));
  expect(await resultsFor('recipts jorney')).toEqual([]);
});

test('compounds count the same before and after the counts of an import are merged, where they are dense', async () => {
  const { owned, resultsFor } = await openSearch();
  await importText(suite.database, owned, {
    title: 'T',
    content: `${NOISE.german} ${'Reisekosten '.repeat(9)}`,
  });
  await importText(suite.database, owned, { title: 'Other', content: NOISE.german });
  const unmerged = await resultsFor('kosten', { details: { explain: true } });
  expect(unmerged).toHaveLength(1);
  await mergeFrequencyDeltas(suite.database);
  expect(await resultsFor('kosten', { details: { explain: true } })).toEqual(unmerged);
});

/** Runs a search on one connection. Returns how often it ran each prepared statement. */
async function countStatements(owned: OwnedKnowledgeBase, query: string, prefix = false) {
  return await suite.database.connection().execute(async (connection) => {
    const search = createSearch(connection, createStemMemory());
    const { accountId, knowledgeBaseId } = owned;
    const request = { accountId, knowledgeBaseIds: [knowledgeBaseId], query, prefix, limit: 10 };
    await search(request);
    const before = await readExecutions(connection);
    await search(request);
    const after = await readExecutions(connection);
    const runs = [...after].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const);
    return Object.fromEntries(runs.filter(([, count]) => count > 0));
  });
}

async function readExecutions(connection: Queryable): Promise<Map<string, number>> {
  const { rows } = await sql<{ name: string; count: number }>`
    SELECT name, (generic_plans + custom_plans)::integer AS count FROM pg_prepared_statements`.execute(
    connection,
  );
  return new Map(rows.map(({ name, count }) => [name, count]));
}

test('words that occur need no further statement, nor those that may not be guessed; a guess takes one', async () => {
  const { owned } = await openSearch();
  await importText(suite.database, owned, { title: 'T', content: ANSWER });
  const usual = isCitus
    ? { statistics_of_few_in_shard: 1, ranked_by_few_terms_in_shard: 1 }
    : { statistics_of_few: 1, ranked_by_few_terms: 1 };
  expect(await countStatements(owned, 'Where are the receipts of the journey?')).toEqual(usual);
  expect(await countStatements(owned, 'receipts CVE-2024-4367 東京都')).toEqual(usual);
  expect(await countStatements(owned, 'receipts or what else'), 'a common word is not misspelt').toEqual(
    usual,
  );
  const lookUp = isCitus ? 'vocabulary_of_few_in_shard' : 'vocabulary_of_few';
  expect(await countStatements(owned, 'recipts')).toEqual({ ...usual, [lookUp]: 1 });
});

test('a word that is imported between statistics and look-up stays unknown: none of its document counts', async () => {
  const { owned } = await openSearch();
  await importText(suite.database, owned, { title: 'T', content: NOISE.english });
  const { accountId, knowledgeBaseId } = owned;
  const request = { accountId, knowledgeBaseIds: [knowledgeBaseId], query: 'receipts journey' };
  const analysis = await createQueryAnalysis(createStemMemory())(suite.database, request);
  await importText(suite.database, owned, { title: 'Later', content: ANSWER });
  const { statistics, terms } = await expandTerms(suite.database, request, analysis, createStemMemory());
  const own = terms.flatMap(({ lexemes }) => lexemes);
  expect(own).toEqual(['receipt', 'journey']);
  expect(own.filter((lexeme) => statistics.frequencies.has(lexeme))).toEqual([]);
});
