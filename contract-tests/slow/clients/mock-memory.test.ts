/**
 * What the mock (npm run mock) remembers: its 56 documents, and what clients add. The run of Dredd against the mock
 * tests the promises of each operation: see dredd.test.ts.
 */
import { afterAll, describe, expect, test } from 'vitest';
import type { Document, QueryRequest, SearchResult } from '../../../generated/types.gen.ts';
import { createCaller } from '../../../src/contract-check/requests/calling.ts';
import { readPages } from '../../../src/contract-check/requests/read-pages.ts';
import { schemas } from '../../../src/contract-check/spec/read-spec.ts';
import { expectRefusal } from '../../harness/calls/expect-refusal.ts';
import { bytesOf, importBytes, isFinal, untilFinal, uploadFile } from '../../harness/calls/uploading.ts';
import { startMock } from '../../harness/service/service-process.ts';

const [mock, slowMock] = await Promise.all([startMock(), startMock('--import-seconds', '3')]);
afterAll(() => Promise.all([mock.stop(), slowMock.stop()]));
const { api, request } = createCaller({ address: mock.address, apiKey: 'any' });

const createKnowledgeBase = async () => (await api.createKnowledgeBase({ name: 'Notes' })).id;

const enumOf = (schema: unknown): string[] => (schema as { enum: string[] }).enum; // of the spec

describe('the documents at the start', () => {
  const readAll = async (): Promise<Document[]> => {
    const { data: knowledgeBases } = await api.listKnowledgeBases();
    const lists = await Promise.all(
      knowledgeBases.map(({ id }) => api.listDocuments({ knowledgeBaseId: id })),
    );
    return lists.flatMap(({ data }) => data);
  };

  test('are 56, in several knowledge bases, every status, with every reason of a failure', async () => {
    const documents = await readAll();
    expect(documents).toHaveLength(56);
    expect(new Set(documents.map(({ knowledgeBaseId }) => knowledgeBaseId)).size).toBeGreaterThan(3);
    expect([...new Set(documents.map(({ status }) => status))].toSorted()).toEqual(
      enumOf(schemas.DocumentStatus).toSorted(),
    );
    const codes = documents.flatMap(({ error }) => error?.code ?? []);
    expect([...new Set(codes)].toSorted()).toEqual(enumOf(schemas.DocumentErrorCode).toSorted());
    expect(documents.filter(({ attributes }) => attributes !== undefined).length).toBeGreaterThan(20);
  });

  test('have details, a status, passages and a text that agree', async () => {
    for (const document of await readAll()) {
      const { id } = document;
      expect(await api.getDocument(id)).toMatchObject(document);
      const { queuePosition: _, ...report } = await api.getDocumentStatus(id);
      expect(document).toMatchObject(report);
      const { data: passages } = await api.listPassages({ documentId: id });
      expect(passages).toHaveLength(document.passageCount ?? 0);
      const { text } = await api.getDocumentContent({ documentId: id });
      for (const { content, location } of passages)
        expect([...text].slice(location.start, location.end).join('')).toBe(content);
    }
  });

  test('are found in their languages, the right one first', async () => {
    const questions = {
      'When do I get my money back for a returned article?': 'Returns',
      'beschädigte Artikel zurückgeben': 'Rückgabe',
      'renvoyer un article abîmé': 'Retours',
      'вернуть повреждённый товар': 'Возврат товара',
      'إرجاع المنتج خلال ثلاثين يوما': 'إرجاع المنتجات',
      三十天内退货: '退货说明',
      商品が壊れていた場合の送料: '返品について',
      คืนสินค้าภายในสามสิบวัน: 'การคืนสินค้า',
      'टूटा हुआ सामान वापस': 'सामान की वापसी',
      'alarm for open connections': 'Incident review of 3 February',
    };
    for (const [query, title] of Object.entries(questions))
      expect((await api.query({ query }))[0]?.title, query).toBe(title);
  });

  test('come in several pages at a small limit', async () => {
    const [{ id: knowledgeBaseId = '' } = {}] = (await api.listKnowledgeBases()).data.filter(
      ({ name }) => name === 'Customer support',
    );
    const pages = await readPages((cursor) => api.listDocuments({ knowledgeBaseId, limit: 4, ...cursor }));
    expect(pages.map(({ length }) => length)).toEqual([4, 4, 4, 3]);
  });
});

describe('a search', () => {
  const marked = ({ content, highlights = [] }: SearchResult): string[] =>
    highlights.map(({ start, end }) => [...content].slice(start, end).join(''));

  test('marks the words of the query, explains its scores, and shows the passages around', async () => {
    const [best] = await api.query({
      query: 'restarting policies',
      highlight: true,
      explain: true,
      contextPassages: 2,
    });
    expect(marked(best ?? expect.fail('nothing found')).map((word) => word.slice(0, 5))).toContain('polic');
    const { terms = [], neighbours = 0, feedback = 0, fullMatch = 0, meaning } = best?.explanation ?? {};
    const sum = terms.reduce(
      (total, { contribution }) => total + contribution,
      neighbours + feedback + fullMatch + (meaning?.contribution ?? 0),
    );
    expect(sum).toBeCloseTo(best?.score ?? 0, 6);
    expect(best?.snippet?.text).toContain('polic');
    const [inside] = await api.query({ query: 'nightly backup copies', contextPassages: 1 });
    expect(inside?.context?.before.join()).toContain('restart');
  });

  test('returns the selected fields only, and obeys filters by attributes and fields of the document', async () => {
    const [selected] = await api.query({ query: 'restart policy', fields: ['title', 'score'] });
    expect(Object.keys(selected ?? {}).toSorted()).toEqual(['score', 'title']);
    const german = await api.query({
      query: 'Tage',
      limit: 50,
      filter: {
        type: 'and',
        filters: [
          { type: 'eq', key: 'language', value: 'de' },
          { type: 'eq', key: '$type', value: 'text' },
        ],
      },
    });
    expect(german.length).toBeGreaterThan(1);
    for (const { attributes, type } of german) expect([attributes?.language, type]).toEqual(['de', 'text']);
  });

  test('with prefix finds the words that begin with the last one', async () => {
    const titles = async (prefix: boolean) =>
      (await api.query({ query: 'probe', prefix })).map(({ title }) => title);
    expect(await titles(false)).toEqual([]);
    expect(await titles(true)).toEqual(['arbeitsvertrag-muster.odt']);
  });

  test('finds by words alone, by meaning alone, and by both, which says what it took', async () => {
    const find = async (options: Partial<QueryRequest>) =>
      await api.query({ query: 'reimbursement', explain: true, ...options });
    const byWords = await find({ mode: 'words' });
    const [byBoth, byDefault] = [await find({ mode: 'both' }), await find({})];
    expect(byDefault).toEqual(byBoth);
    expect(byWords.map(({ explanation }) => explanation?.meaning)).toEqual(byWords.map(() => undefined));
    const added = byBoth.filter(({ id }) => !byWords.some((each) => each.id === id));
    expect(added.length).toBeGreaterThan(0);
    for (const { score, explanation } of added) {
      expect(explanation?.terms).toEqual([]);
      expect(explanation?.meaning).toMatchObject({
        contribution: score,
        pairs: [{ term: 'reimbursement', word: 'refund' }],
      });
    }
    for (const { score, explanation } of await find({ mode: 'meaning' }))
      expect(explanation).toMatchObject({ terms: [], fullMatch: 0, meaning: { contribution: score } });
  });
});

describe('an imported file', () => {
  const slow = createCaller({ address: slowMock.address, apiKey: 'any' });

  test('is pending, then processing, then processed and found', async () => {
    const { id: knowledgeBaseId } = await slow.api.createKnowledgeBase({ name: 'Notes' });
    const bytes = bytesOf('The quince tree stands behind the granary.');
    const { id, status } = await importBytes(slow.api, { knowledgeBaseId, fileName: 'quince.txt', bytes });
    const statuses = new Set([status]);
    const find = () => slow.api.query({ query: 'quince', knowledgeBaseIds: [knowledgeBaseId] });
    expect(await find()).toEqual([]);
    await expect
      .poll(
        async () => {
          const report = await slow.api.getDocumentStatus(id);
          statuses.add(report.status);
          return isFinal(report.status);
        },
        { timeout: 60_000 },
      )
      .toBe(true);
    expect([...statuses]).toEqual(['pending', 'processing', 'processed']);
    expect((await find()).map(({ document_id }) => document_id)).toEqual([id]);
  });

  test('of a format that the mock does not read is found by its name', async () => {
    const knowledgeBaseId = await createKnowledgeBase();
    const file = { knowledgeBaseId, fileName: 'harbour-tariff_2026.pdf', bytes: bytesOf('%PDF-1.7 …') };
    const { id } = await importBytes(api, file);
    expect(await untilFinal(api, id)).toMatchObject({ status: 'processed', passageCount: 1, pageCount: 1 });
    const [found] = await api.query({ query: 'harbour tariff', knowledgeBaseIds: [knowledgeBaseId] });
    expect(found).toMatchObject({ document_id: id, type: 'pdf', location: { page: 1 } });
  });

  test.each([
    ['fail.pdf', 'failed', 'FILE_CORRUPT'],
    ['Failing-Encrypted.docx', 'failed', 'FILE_ENCRYPTED'],
    ['fail-unsupported.txt', 'failed', 'UNSUPPORTED_FILE_TYPE'],
    ['fail-empty.pdf', 'failed', 'NO_TEXT_EXTRACTED'],
    ['fail-complex.xlsx', 'failed', 'FILE_TOO_COMPLEX'],
    ['fail-timeout.pdf', 'timeout', 'PROCESSING_TIMEOUT'],
    ['fail-internal.md', 'failed', 'INTERNAL_ERROR'],
  ])('named %s ends as %s with %s', async (fileName, status, code) => {
    const knowledgeBaseId = await createKnowledgeBase();
    const { id } = await importBytes(api, { knowledgeBaseId, fileName, bytes: bytesOf('Some text.') });
    expect(await untilFinal(api, id)).toMatchObject({ status, error: { code }, passageCount: 0 });
    expect(await api.query({ query: 'text', knowledgeBaseIds: [knowledgeBaseId] })).toEqual([]);
  });

  test('is read at a retry if its failure may end by itself, and else fails again', async () => {
    const knowledgeBaseId = await createKnowledgeBase();
    const retried = async (fileName: string) => {
      const { id } = await importBytes(api, { knowledgeBaseId, fileName, bytes: bytesOf('Some text.') });
      await untilFinal(api, id);
      expect(await api.retryDocument(id)).toMatchObject({ id, status: 'pending' });
      return (await untilFinal(api, id)).status;
    };
    expect(await retried('fail-timeout.txt')).toBe('processed');
    expect(await retried('fail.txt')).toBe('failed');
  });

  test('is imported once, also in one request; its content can be skipped', async () => {
    const knowledgeBaseId = await createKnowledgeBase();
    const bytes = bytesOf('The same text.');
    const { fileId } = await uploadFile(api, { knowledgeBaseId, fileName: 'a.txt', bytes });
    const { id } = await api.importFile(fileId);
    expect((await api.importFile(fileId)).id).toBe(id);
    const again = { knowledgeBaseId, fileName: 'b.txt', ifUnchanged: 'skip' } as const;
    expect(await api.uploadFile(again, bytes)).toMatchObject({ id, unchanged: true });
    expect((await api.listDocuments({ knowledgeBaseId })).data.map((document) => document.id)).toEqual([id]);
  });
});

test('a repeat with the same Idempotency-Key returns the first answer', async () => {
  const create = () => request('createKnowledgeBase', { name: 'Once' }, { 'idempotency-key': 'once' });
  const first = await create();
  expect((await create()).body).toEqual(first.body);
});

test('memory is bounded: further texts are refused as by a full disk, until others are deleted', async () => {
  const knowledgeBaseId = await createKnowledgeBase();
  const content = 'Fill the memory. '.repeat(58_000);
  const fill = () => request('importTextContent', { knowledgeBaseId, title: 'Much', content });
  let texts = 0;
  while ((await fill()).status === 200) expect(++texts).toBeLessThan(20);
  expect(texts).toBeGreaterThan(5);
  expectRefusal(await fill(), 503, 'SERVICE_UNAVAILABLE');
  await api.deleteKnowledgeBase(knowledgeBaseId);
  expect((await api.createKnowledgeBase({ name: 'Small again' })).name).toBe('Small again');
});
