/** A hostile file results in text or an error, in bounded time and memory, without side effects. */
import { existsSync } from 'node:fs';
import { afterAll, describe, expect, it, test } from 'vitest';
import { usedMsOf } from '../../../contract-tests/harness/machine/processor-time.ts';
import { unpackText } from '../../indexing/split/extracted-text.ts';
import { extractFile } from '../extract.ts';
import { ARCHIVE_ENTRIES_MAX, NESTING_MAX, PDF_PAGES_MAX, UNPACKED_MAX } from '../extraction-limits.ts';
import { createExtractionPool } from '../sandbox/extraction-pool.ts';
import { docxOf, madeFiles, pdfOf, writePdf, xlsxOf } from '../testing/made-files.ts';
import { writeZip, type ZipEntry } from '../testing/write-zip.ts';

const pool = createExtractionPool();
afterAll(() => pool.close());

const extract = (bytes: Buffer, fileName: string) =>
  pool.extract({ accountId: 'a', fileName, readBytes: async () => bytes });

/** The text of a file, or its error code. */
async function outcomeOf(bytes: Buffer, fileName = 'hostile'): Promise<string> {
  const extraction = await extract(bytes, fileName);
  return 'failure' in extraction ? extraction.failure.code : unpackText(extraction.extracted).text;
}

const PARAGRAPH = '<w:p><w:r><w:t>Harmless sentence.</w:t></w:r></w:p>';
const docx = (body: string, ...more: ZipEntry[]) => writeZip([...docxOf(body), ...more]);
/** A Word document whose body is this entry. */
const docxWithBody = (entry: Omit<ZipEntry, 'name'>) =>
  writeZip([
    ...docxOf('').filter(({ name }) => name !== 'word/document.xml'),
    { name: 'word/document.xml', ...entry },
  ]);
const nested = (start: string, end: string, depth: number) => start.repeat(depth) + end.repeat(depth);

const LAUGHS = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('');
const ENTITY_BOMB = `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY l0 "laugh">${LAUGHS}]>`;
const EXTERNAL =
  '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">' +
  '<!ENTITY % y SYSTEM "http://127.0.0.1:1/"> %y;]>';

describe('a file that unpacks to too much', () => {
  const much = Buffer.alloc(UNPACKED_MAX + 1, ' ');
  const cells = (count: number) => `<row>${'<c t="s"><v>0</v></c>'.repeat(count)}</row>`;
  it.each([
    ['one part', () => docxWithBody({ content: much })],
    ['a part that says it is small', () => docxWithBody({ content: much, declaredSize: 10 })],
    [
      'many parts together',
      () => {
        const footer = Buffer.alloc(UNPACKED_MAX / 8, ' ');
        const names = Array.from({ length: 9 }, (_, i) => `word/f${i}.xml`);
        const related = names
          .map((name, i) => `<Relationship Id="f${i}" Type="/footer" Target="/${name}"/>`)
          .join('');
        return writeZip([
          { name: 'word/document.xml', content: PARAGRAPH },
          { name: 'word/_rels/document.xml.rels', content: `<Relationships>${related}</Relationships>` },
          ...names.map((name) => ({ name, content: footer })),
        ]);
      },
    ],
    [
      'more parts than any document has',
      () =>
        docx(
          PARAGRAPH,
          ...Array.from({ length: ARCHIVE_ENTRIES_MAX }, (_, i) => ({ name: `x${i}`, content: '' })),
        ),
    ],
    [
      'one long text in every cell',
      () => writeZip(xlsxOf(cells(20_000), `<si><t>${'long '.repeat(1_000)}</t></si>`)),
    ],
    [
      'cells in the last column of every row',
      () => writeZip(xlsxOf('<row><c r="XFD1"><v>1</v></c></row>'.repeat(200))),
    ],
  ])('is too complex: %s', async (_what, make) => {
    expect(await outcomeOf(make())).toBe('FILE_TOO_COMPLEX');
  });

  it('is too complex or has no text where it is a PDF with a packed stream', async () => {
    const { deflateSync } = await import('node:zlib');
    const packed = deflateSync(deflateSync(Buffer.alloc(2 ** 29, ' '))).toString('latin1');
    const pdf = writePdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>',
      `<< /Length ${packed.length} /Filter [/FlateDecode /FlateDecode] >>\nstream\n${packed}\nendstream`,
    ]);
    expect(await outcomeOf(pdf)).toMatch(/^(?:FILE_TOO_COMPLEX|NO_TEXT_EXTRACTED|FILE_CORRUPT)$/);
  });

  it.each([0, 2 ** 32 - 1])('is extracted where a part only declares %i bytes', async (declaredSize) => {
    const body = docxOf(PARAGRAPH).find(({ name }) => name === 'word/document.xml');
    expect(await outcomeOf(docxWithBody({ content: body?.content ?? '', declaredSize }))).toContain(
      'Harmless sentence.',
    );
  });
});

describe('deep nesting', () => {
  const depth = NESTING_MAX * 100;
  it.each([
    ['elements of a Word document', () => docx(nested('<w:tbl>', '</w:tbl>', depth))],
    ['elements of an XML file', () => Buffer.from(`<?xml version="1.0"?>${nested('<a>', '</a>', depth)}`)],
    ['groups of an RTF file', () => Buffer.from(`{\\rtf1 ${nested('{', '}', depth)}}`)],
  ])('is too complex: %s', async (_what, make) => {
    expect(await outcomeOf(make())).toBe('FILE_TOO_COMPLEX');
  });

  it('is extracted from JSON, without recursion', async () => {
    const json = `${'{"a":['.repeat(depth)}"innermost"${']}'.repeat(depth)}`;
    expect(await outcomeOf(Buffer.from(json), 'a.json')).toContain('innermost');
  });

  it('does not open an archive in an archive', async () => {
    const inner = writeZip(docxOf('<w:p><w:r><w:t>inner</w:t></w:r></w:p>'));
    expect(
      await outcomeOf(docx(PARAGRAPH, { name: 'word/embeddings/inner.docx', content: inner })),
    ).not.toContain('inner');
  });
});

describe('entities', () => {
  it.each([
    ['within entities are not expanded', ENTITY_BOMB, '&l9;'],
    ['of other files are not read', EXTERNAL, '&x;'],
  ])('%s', async (_what, doctype, reference) => {
    const body = docxWithBody({
      content: `${doctype}<w:document><w:body>${PARAGRAPH.replace('sentence', reference)}</w:body></w:document>`,
    });
    const xml = Buffer.from(`${doctype}<a><b>Harmless ${reference}.</b></a>`);
    for (const file of [body, xml]) {
      const text = await outcomeOf(file);
      expect(text).toMatch(/Harmless/);
      expect(text).not.toMatch(/laugh|root:|nobody/);
      expect(text.length).toBeLessThan(500);
    }
  });
});

describe('a PDF', () => {
  it('with too many pages is too complex', async () => {
    const pages = Array.from({ length: PDF_PAGES_MAX + 1 }, () => []);
    expect(await outcomeOf(pdfOf(pages))).toBe('FILE_TOO_COMPLEX');
  });

  it.each([
    ['that says it has 100,000 pages, but has one', '[3 0 R] /Count 100000'],
    ['whose pages are its pages', '[2 0 R 2 0 R] /Count 2'],
    ['whose pages are not there', '[9 0 R] /Count 1'],
  ])('%s ends', async (_what, kids) => {
    const pdf = writePdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      `<< /Type /Pages /Kids ${kids} >>`,
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>',
    ]);
    expect(await outcomeOf(pdf)).toMatch(/^(?:FILE_TOO_COMPLEX|FILE_CORRUPT|NO_TEXT_EXTRACTED)$/);
  });
});

/** Processor time of this thread for three files. To unpack one of them takes it 200 ms. */
const SERVER_MAX_MS = 300;

test('hostile files affect neither the memory nor the event loop of the server', async () => {
  const bomb = docxWithBody({ content: Buffer.alloc(UNPACKED_MAX + 1, ' ') });
  const before = process.memoryUsage().rss;
  const usedMs = await usedMsOf(async () => {
    const outcomes = await Promise.all([outcomeOf(bomb), outcomeOf(bomb), outcomeOf(bomb)]);
    expect(outcomes).toEqual(outcomes.map(() => 'FILE_TOO_COMPLEX'));
  });
  expect(process.memoryUsage().rss - before).toBeLessThan(30 * 2 ** 20);
  expect(usedMs).toBeLessThan(SERVER_MAX_MS);
});

test('names in an archive are never used as paths', async () => {
  const names = [
    '../../../../../../tmp/evil.txt',
    '/tmp/evil.txt',
    'C:\\evil.txt',
    '__proto__',
    'a\0b',
    '',
    'word/document.xml/x',
  ];
  const file = docx(PARAGRAPH, ...names.map((name) => ({ name, content: 'evil' })));
  expect(await outcomeOf(file)).toContain('Harmless sentence.');
  expect(existsSync('/tmp/evil.txt')).toBe(false);
});

test('parts that refer to themselves or to nothing do not loop', async () => {
  const related = ['document.xml', '../../x', 'none.xml', ''].map(
    (target, i) => `<Relationship Id="r${i}" Type="/header" Target="${target}"/>`,
  );
  const styles =
    '<w:styles><w:style w:styleId="a"><w:basedOn w:val="b"/></w:style>' +
    '<w:style w:styleId="b"><w:basedOn w:val="a"/></w:style></w:styles>';
  const file = writeZip([
    {
      name: 'word/document.xml',
      content: PARAGRAPH.replace('<w:r>', '<w:pPr><w:pStyle w:val="a"/></w:pPr><w:r>'),
    },
    { name: 'word/styles.xml', content: styles },
    {
      name: 'word/_rels/document.xml.rels',
      content:
        `<Relationships>${related.join('')}` +
        '<Relationship Id="s" Type="/styles" Target="styles.xml"/></Relationships>',
    },
  ]);
  expect(await outcomeOf(file)).toContain('Harmless sentence.');
});

test('encrypted files and damaged files have different errors', async () => {
  const ole = Buffer.concat([
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    Buffer.alloc(1000),
    Buffer.from('EncryptedPackage', 'utf16le'),
  ]);
  expect(await outcomeOf(ole, 'a.docx')).toBe('FILE_ENCRYPTED');
  expect(await outcomeOf(docxWithBody({ content: 'x', flags: 1 }))).toBe('FILE_ENCRYPTED');
});

test.each(['docx', 'pptx', 'xlsx', 'odt', 'ods', 'epub'])(
  'the first half of a valid %s is damaged or cut off, in our own words',
  async (type) => {
    const file = madeFiles()[`a.${type}`] ?? Buffer.alloc(0);
    expect(await extract(file.subarray(0, file.length / 2), `a.${type}`)).toMatchObject({
      failure: {
        code: 'FILE_CORRUPT',
        message: expect.stringMatching(/^The file is damaged or cut off: it[a-z -]+\.$/),
      },
    });
  },
);

test('a part that cannot be unpacked is damaged, in our own words', async () => {
  const { 'a.docx': word = Buffer.alloc(0) } = madeFiles();
  const compressed = word.indexOf('word/document.xml') + 'word/document.xml'.length;
  const harmed = Buffer.from(word).fill(0xff, compressed, compressed + 20);
  expect(await extract(harmed, 'a.docx')).toMatchObject({
    failure: { message: 'The file is damaged or cut off: one of its parts cannot be unpacked.' },
  });
});

test('the first half of a valid PDF results in its text or in FILE_CORRUPT', async () => {
  const file = Buffer.from(madeFiles()['a.pdf'] ?? '');
  expect(await outcomeOf(file.subarray(0, file.length / 2), 'a.pdf')).toMatch(
    /^(?:FILE_CORRUPT|NO_TEXT_EXTRACTED|Opening hours)/,
  );
});

test('a file of two types at once is extracted as one of them', async () => {
  const { 'a.pdf': pdf = '', 'a.docx': word = '', 'a.html': html = '' } = madeFiles();
  const polyglots = [
    `${pdf.toString('latin1')}${word.toString('latin1')}`,
    `${html}${pdf.toString('latin1')}`,
  ];
  for (const polyglot of polyglots)
    expect(await outcomeOf(Buffer.from(polyglot, 'latin1'))).toMatch(
      /opens at nine|^FILE_CORRUPT$|^NO_TEXT_EXTRACTED$/,
    );
});

test('CSV files with open quotes or many separators take linear time', async () => {
  expect(await outcomeOf(Buffer.from(`a,"${'b,\n'.repeat(1_000_000)}`), 'a.csv')).toContain('a | "b');
  expect(await outcomeOf(Buffer.from(`a${',""b'.repeat(1_000_000)}`), 'a.csv')).toMatch(
    /^a|^FILE_TOO_COMPLEX$/,
  );
  expect(await outcomeOf(Buffer.from(`a${',"'.repeat(1_000_000)}`), 'a.csv')).toMatch(
    /^a|^FILE_TOO_COMPLEX$/,
  );
});

test('XML with unclosed document types takes linear time', async () => {
  const read = async (start: string) => {
    const bytes = Buffer.from(start.repeat(100_000));
    expect(await extractFile({ fileName: 'a.xml', bytes })).not.toMatchObject({
      failure: { code: 'FILE_TOO_COMPLEX' },
    });
  };
  for (const start of ['<!DOCTYPE[', '<!DOCTYPE a [ ] ', '<!-- ', '<? ']) {
    const usedMs = await usedMsOf(() => read(start));
    expect(usedMs, start).toBeLessThan(5_000); // quadratic: minutes
  }
});

test('text after a document type with an internal subset is extracted', async () => {
  const xml =
    '<?xml version="1.0"?>\n<!-- ]> -->\n<!DOCTYPE a [<!-- [x] --> <!ELEMENT a ANY> ] >\n<a>Open at nine.</a>';
  expect(await outcomeOf(Buffer.from(xml), 'a.xml')).toContain('Open at nine.');
});
