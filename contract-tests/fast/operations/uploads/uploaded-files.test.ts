/** Uploaded files as a public client sees them: the search finds their text, or their import fails with a reason. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { bytesOf, importBytes, untilFinal } from '../../../harness/calls/uploading.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const { api } = await openAccount();
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Files' });

/** Imports a file and polls until its status is final, as the public clients do. */
async function importAndPoll(fileName: string, bytes: Uint8Array) {
  const document = await importBytes(api, { knowledgeBaseId, fileName, bytes });
  return await untilFinal(api, document.id);
}

const HTML = `<!doctype html><html><head><title>Zoo</title><style>p { color: serval }</style></head>
<body><nav>Menu</nav><h1>Cats</h1><p>The caracal &amp; the margay jump.</p><script>let ocelot;</script></body></html>`;

test.each([
  ['note.txt', 'txt', 'The jerboa hops at night.', 'jerboa', 'The jerboa hops at night.'],
  ['readme.md', 'md', '# Rodents\n\nThe *agouti* buries seeds.\n', 'agouti', 'buries seeds'],
  ['page.html', 'html', HTML, 'caracal margay', 'The caracal & the margay jump.'],
  ['without-extension', 'txt', 'The bilby digs spirals.', 'bilby', 'The bilby digs spirals.'],
  ['bom.txt', 'txt', '\uFEFFThe dunnart naps.', 'dunnart', 'The dunnart naps.'],
  ['nul.txt', 'txt', 'The quo\0kka eats leaves at night, in groups of 20.\0\n', 'quokka', 'The quokka eats'],
  ['notes.constructor', 'txt', 'The kowari hunts.', 'kowari', 'The kowari hunts.'],
  ['notes.__proto__', 'txt', 'The numbat digs.', 'numbat', 'The numbat digs.'],
])('processed: the search finds %s as type %s, with the file name as title and source', async (...file) => {
  const [fileName, type, text, query, expected] = file;
  const { id, status } = await importAndPoll(fileName, bytesOf(text));
  expect(status).toBe('processed');
  const [found] = await api.query({ query, knowledgeBaseIds: [knowledgeBaseId] });
  expect(found).toMatchObject({ document_id: id, title: fileName, type, metadata: { source: fileName } });
  expect(found?.content).toContain(expected);
  const { data } = await api.listDocuments({ knowledgeBaseId, limit: 1 });
  expect(data).toMatchObject([
    { id, title: fileName, type, size: bytesOf(text).byteLength, status: 'processed' },
  ]);
});

test('processed: script and style of a page are not its text', async () => {
  const { id } = await importAndPoll('cats.html', bytesOf(HTML));
  for (const query of ['serval', 'ocelot']) {
    const found = await api.query({ query, knowledgeBaseIds: [knowledgeBaseId] });
    expect(found.map((result) => result.document_id)).not.toContain(id);
  }
});

test('processed: the offsets of a file count code points of its text', async () => {
  const text = 'Emoji 🐾🐾 before the coati, and e\u0301 after.';
  const { id } = await importAndPoll('emoji.txt', bytesOf(text));
  const found = await api.query({ query: 'coati', knowledgeBaseIds: [knowledgeBaseId] });
  const passage = found.find((result) => result.document_id === id);
  expect(passage?.content).toBe(text);
  expect(passage?.location).toMatchObject({ start: 0, end: [...text].length });
});

/** The head of a file. */
const HEIC = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1');
test.each([
  ['a HEIC picture', 'picture.heic', HEIC],
  ['a HEIC picture that calls itself a text', 'picture.txt', HEIC],
  ['a 7-Zip archive', 'archive.7z', Buffer.from('7z\xbc\xaf\x27\x1c\0\x04', 'latin1')],
  ['ten control characters', 'x.bin', Buffer.from('\x01\x02\x03\x04\x05\x06\x0e\x0f\x10\0')],
  ['random bytes', 'random.bin', randomBytes(10_000)],
  ['random bytes that call themselves Markdown', 'random.md', randomBytes(10_000)],
])('failed: %s, with the reason UNSUPPORTED_FILE_TYPE', async (_, fileName, bytes) => {
  const report = await importAndPoll(fileName, bytes);
  expect(report).toMatchObject({ status: 'failed', error: { code: 'UNSUPPORTED_FILE_TYPE' } });
  const { data } = await api.listDocuments({ knowledgeBaseId, limit: 1 });
  expect(data).toMatchObject([
    { id: report.id, status: 'failed', error: report.error, size: bytes.byteLength },
  ]);
});

test('failed: a format that is not read is named, with what helps', async () => {
  const { error } = await importAndPoll('picture.heic', HEIC);
  expect(error?.message).toMatch(/HEIC or AVIF picture.*OCR/);
});

/** An archive of one file `a` with the byte `P`. */
const ZIP = Buffer.from(
  '504b03040a000000000000002100b8b8e0c801000000010000000100000061' +
    '50504b01021e030a000000000000002100b8b8e0c8010000000100000001000000000000000000000080010000000061' +
    '504b050600000000010001002f000000200000000000',
  'hex',
);

test.each(['archive.zip', 'archive.docx'])(
  'processed: the archive %s is one document, with each file below its path',
  async (fileName) => {
    const { id, status } = await importAndPoll(fileName, ZIP);
    expect(status).toBe('processed');
    const { data } = await api.listPassages({ documentId: id });
    expect(data).toMatchObject([{ content: 'a\n\nP', location: { headings: ['a'] } }]);
  },
);

test.each([
  ['spaces', 'blank.txt', '   '],
  ['line ends', 'blank.md', '\r\n\n'],
  ['HTML without words', 'blank.html', '<html><body><p> </p><script>let a = "b";</script></body></html>'],
  ['a byte order mark', 'bom.txt', '\uFEFF'],
  ['white space that is not ASCII', 'blank.txt', '\u00A0\u3000\u2003'],
])('failed: a file of nothing but %s, with the reason NO_TEXT_EXTRACTED', async (_, fileName, text) => {
  const report = await importAndPoll(fileName, bytesOf(text));
  expect(report).toMatchObject({ status: 'failed', error: { code: 'NO_TEXT_EXTRACTED' } });
});

test.each([
  '../../etc/passwd',
  'a/b\\c.md',
  'C:\\Windows\\system32\\con.txt',
  '/',
  '.',
  '..',
  ' ',
  '🦔🦔.txt',
  'e\u0301.txt',
  '%2e%2e%2f.txt',
  'a"; rm -rf *.txt',
  '\u202Etxt.exe',
  'line\nend.txt',
  '🦔'.repeat(256),
  `${'n'.repeat(252)}.txt`,
])('processed: the file name %j is shown, and never used as a path', async (fileName) => {
  const { id, status } = await importAndPoll(fileName, bytesOf(`The hedgehog of ${fileName}`));
  expect(status).toBe('processed');
  const found = await api.query({ query: 'hedgehog', knowledgeBaseIds: [knowledgeBaseId], limit: 50 });
  const passage = found.find((result) => result.document_id === id);
  expect(passage).toMatchObject({ title: fileName, metadata: { source: fileName } });
});
