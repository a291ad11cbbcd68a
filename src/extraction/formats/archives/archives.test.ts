/** An archive is a document whose parts are the files in it. */
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { describe, expect, it, test } from 'vitest';
import { extractFile } from '../../extract.ts';
import { INNER_DEPTH_MAX, INNER_FILES_MAX, TEXT_MAX_LENGTH, UNPACKED_MAX } from '../../extraction-limits.ts';
import { docxOf, pdfOf } from '../../testing/made-files.ts';
import { writeZip, type ZipEntry } from '../../testing/write-zip.ts';

const extract = (bytes: Buffer, fileName = 'a.zip') => extractFile({ fileName, bytes });
const read = async (bytes: Buffer, fileName?: string) => {
  const extraction = await extract(bytes, fileName);
  if ('failure' in extraction) throw new Error(`${extraction.failure.code}: ${extraction.failure.message}`);
  expect(extraction.type).toBe('zip');
  return extraction;
};
const zip = (...entries: ZipEntry[]) => writeZip(entries);
const text = (name: string, content = `Text of ${name}.`): ZipEntry => ({ name, content });
const docx = (words: string) => writeZip(docxOf(`<w:p><w:r><w:t>${words}</w:t></w:r></w:p>`));

test('each file is a part below its path, in the order that a file manager shows', async () => {
  const { extracted, warnings } = await read(
    zip(
      text('b/10. Later.md', '# Inner\n\nWords.'),
      { name: 'b/', content: '' },
      text('b/2. Sooner.txt'),
      { name: 'a.docx', content: docx('Deed.'), isStored: true },
      text('__MACOSX/._a.docx', '\0\x05'),
      text('b/.DS_Store', '\0\0\0\x01Bud1'),
    ),
  );
  expect(extracted.text).toBe(
    'a.docx\n\nDeed.\n\nA footnote.\n\nb/2. Sooner.txt\n\nText of b/2. Sooner.txt.\n\nb/10. ' +
      'Later.md\n\n# Inner\n\nWords.',
  );
  expect(extracted.headings.map(({ level, text: words }) => `${level} ${words}`)).toEqual([
    '1 a.docx',
    '1 b/2. Sooner.txt',
    '1 b/10. Later.md',
    '2 Inner',
  ]);
  expect(warnings).toEqual([]);
});

test('files that are not read are named with their reason, and others by number', async () => {
  const pictures = Array.from({ length: 5 }, (_, i) => ({
    name: `p${i}.png`,
    content: Buffer.from('\x89PNG', 'latin1'),
  }));
  const { warnings } = await read(
    zip(
      text('a.txt'),
      { ...text('b.txt'), flags: 1 },
      { name: 'c.pdf', content: '%PDF-1.4 cut' },
      text('d.txt', ' \n'),
      { name: 'e.pdf', content: pdfOf([[{ size: 10, text: 'Words.' }], []]) },
      ...pictures,
    ),
  );
  expect(warnings).toEqual([
    { code: 'PAGES_WITHOUT_TEXT', message: expect.stringMatching(/^e\.pdf: .*2/) },
    {
      code: 'PARTS_NOT_READ',
      message:
        '8 files were not read: b.txt (it needs a password), c.pdf (damaged), d.txt (without text), ' +
        'p0.png (a PNG picture), p1.png (a PNG picture) and 3 more.',
    },
  ]);
});

describe('an archive without any text has', () => {
  const secret = { ...text('a.txt'), flags: 1 };
  it.each([
    ['no entries', zip(), 'NO_TEXT_EXTRACTED', 'The file holds no readable text.'],
    [
      'folders only',
      zip({ name: 'a/', content: '' }),
      'NO_TEXT_EXTRACTED',
      'The file holds no readable text.',
    ],
    ['a password', zip(secret), 'FILE_ENCRYPTED', 'The file needs a password; import it without one.'],
    [
      'a password for each file',
      zip(secret, { ...secret, name: 'b.txt' }),
      'FILE_ENCRYPTED',
      'None of the files was read: a.txt (it needs a password), b.txt (it needs a password).',
    ],
    [
      'pictures only',
      zip({ name: 'a.gif', content: 'GIF89a\x01\0\x01\0' }),
      'NO_TEXT_EXTRACTED',
      'None of the files was read: a.gif (a GIF picture).',
    ],
    ['damage', zip(text('a.txt')).subarray(0, 60), 'FILE_CORRUPT', expect.stringContaining('damaged')],
  ])('%s', async (_what, bytes, code, message) => {
    expect(await extract(bytes)).toEqual({ type: 'zip', failure: { code, message } });
  });
});

describe('names', () => {
  const named = (bytes: Buffer) => {
    const file = zip(text('N'.repeat(bytes.length), 'Words.'));
    for (let at = file.indexOf('NN'); at >= 0; at = file.indexOf('NN')) bytes.copy(file, at);
    // Without the flag for UTF-8, as programs write such names.
    return file;
  };
  it.each([
    ['UTF-8, with or without the flag', Buffer.from('Größe.txt'), 'Größe.txt'],
    ['the code page of the specification', Buffer.from('Gr\x94\xe1e.txt', 'latin1'), 'Größe.txt'],
    ['Shift JIS', Buffer.from('93fa967b8cea82cc8e9197bf2e747874', 'hex'), '日本語の資料.txt'],
    ['GBK', Buffer.from('d6d0b9fab5c4cec4bcfeb1a8b8e62e747874', 'hex'), '中国的文件报告.txt'],
    ['backslashes between folders', Buffer.from('plans\\a.txt'), 'plans/a.txt'],
  ])('are decoded: %s', async (_how, bytes, name) => {
    expect((await read(named(bytes))).extracted.text).toBe(`${name}\n\nWords.`);
  });
});

const tarOf = async (...files: [name: string, content: string][]): Promise<Buffer> => {
  const archive = pack();
  for (const [name, content] of files) archive.entry({ name }, content);
  archive.finalize();
  const pieces: Buffer[] = [];
  for await (const piece of archive) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
};

test('tar and gzip are archives as well', async () => {
  const tar = await tarOf(['docs/a.md', '# A'], [`${'long/'.repeat(30)}b.txt`, 'B']);
  const expected = `docs/a.md\n\n# A\n\n${'long/'.repeat(30)}b.txt\n\nB`;
  expect((await read(tar, 'a.tar')).extracted.text).toBe(expected);
  expect((await read(gzipSync(tar), 'a.tgz')).extracted.text).toBe(expected);
  expect((await read(gzipSync('Words.'), 'notes.txt.gz')).extracted.text).toBe('notes.txt\n\nWords.');
});

test('a tar archive of before POSIX, which has no signature, is refused', async () => {
  const tar = await tarOf(['a.txt', 'A'], ['b.txt', 'B']);
  for (let at = tar.indexOf('ustar'); at >= 0; at = tar.indexOf('ustar')) {
    // Without the eight bytes of the signature and version, whose sum the checksum has to lose.
    const header = at - 257;
    const lost = tar.subarray(at, at + 8).reduce((sum, byte) => sum + byte, 0);
    const sum = Number.parseInt(tar.toString('latin1', header + 148, header + 154), 8) - lost;
    tar.fill(0, at, at + 8).write(`${sum.toString(8).padStart(6, '0')}\0 `, header + 148, 'latin1');
  }
  expect(await extract(tar, 'a.tar')).toMatchObject({
    failure: { code: 'UNSUPPORTED_FILE_TYPE', message: expect.stringContaining('This is an archive') },
  });
});

test('an archive that ends early keeps what is whole, and says so', async () => {
  const tar = await tarOf(['a.txt', 'A'], ['b.txt', 'B'.repeat(2000)]);
  const packed = gzipSync(Array.from({ length: 20_000 }, (_, i) => `line ${(i * 7919) % 10_007}`).join('\n'));
  for (const [bytes, name] of [
    [tar.subarray(0, 2000), 'a.tar'],
    [packed.subarray(0, packed.length / 2), 'a.txt.gz'],
  ] as const) {
    const { warnings } = await read(bytes, name);
    expect(warnings.map(({ code }) => code)).toEqual(['FILE_CUT_OFF']);
  }
});

describe('the bounds of one file hold for all files in it together', () => {
  it('bytes that are unpacked, at any depth', async () => {
    const much = zip({ name: 'spaces.txt', content: Buffer.alloc(UNPACKED_MAX / 4, ' ') });
    const inner = Array.from({ length: 5 }, (_, i) => ({ name: `${i}.zip`, content: much }));
    const { extracted, warnings } = await read(zip(text('!.txt'), ...inner, text('z.txt')));
    expect(extracted.text).toBe('!.txt\n\nText of !.txt.\n\nz.txt\n\nText of z.txt.');
    expect(warnings).toEqual([
      { code: 'LIMIT_REACHED', message: expect.stringMatching(/^5 files were left out: 0\.zip/) },
    ]);
  });

  it('but a file that alone is too large takes nothing from the others', async () => {
    const huge = { name: 'a.txt', content: Buffer.alloc(UNPACKED_MAX + 1, ' ') };
    const { extracted, warnings } = await read(zip(huge, text('b.txt')));
    expect(extracted.text).toBe('b.txt\n\nText of b.txt.');
    expect(warnings.map(({ message }) => message)).toEqual([
      'One file was left out: a.txt (beyond the bounds of one file).',
    ]);
  });

  it('characters', async () => {
    const half = 'words '.repeat(TEXT_MAX_LENGTH / 12);
    const { extracted, warnings } = await read(zip(text('1.txt', half), text('2.txt', half), text('3.txt')));
    expect(extracted.text.length).toBeLessThanOrEqual(TEXT_MAX_LENGTH);
    expect(warnings).toEqual([
      { code: 'LIMIT_REACHED', message: 'One file was left out: 2.txt (beyond the bounds of one file).' },
    ]);
  });

  it('files', async () => {
    const files = Array.from({ length: INNER_FILES_MAX + 2 }, (_, i) => text(`${i}.txt`, 'x'));
    const { warnings } = await read(zip(...files));
    expect(warnings.map(({ code, message }) => [code, message.slice(0, 22)])).toEqual([
      ['LIMIT_REACHED', '2 files were left out:'],
    ]);
  });

  it('depth', async () => {
    let bytes = zip(text('a.txt'));
    for (let i = 0; i < INNER_DEPTH_MAX + 1; i++)
      bytes = zip({ name: 'inner.zip', content: bytes }, text(`${i}.txt`));
    const { extracted, warnings } = await read(bytes);
    expect(extracted.text.match(/Text of/g)).toHaveLength(INNER_DEPTH_MAX);
    expect(warnings.map(({ code }) => code)).toEqual(['LIMIT_REACHED']);
  });
});
