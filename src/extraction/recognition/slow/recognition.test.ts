/** Scans and pictures become text: in the process that extracts files, with its limits. */
import { afterAll, describe, expect, it, test } from 'vitest';
import { unpackText } from '../../../indexing/split/extracted-text.ts';
import { type Extraction, extractFile } from '../../extract.ts';
import type { FileWarning } from '../../extracted-file.ts';
import { createExtractionPool } from '../../sandbox/extraction-pool.ts';
import {
  type Bitmap,
  pictureFile,
  scannedPdf,
  toBmp,
  toPng,
  toTiff,
  writtenPage,
} from '../../testing/written-page.ts';
import { installedLanguages, languagesToTry } from '../ocr-languages.ts';
import { pictureSize } from '../picture-sizes.ts';
import { createRecognition } from '../recognition.ts';
import { withGerman } from '../testing/german-data.ts';

const languages = installedLanguages();
const pool = createExtractionPool({ languages });
afterAll(() => pool.close());

const page = writtenPage('page.png');
const READ = /The library opens at nine\s+and closes at six in winter/;

async function read(fileName: string, bytes: Uint8Array, onPages = (_: { done: number; of: number }) => {}) {
  const file = { accountId: 'a', fileName, readBytes: async () => bytes };
  const extraction = await pool.extract({ ...file, onPages });
  if ('failure' in extraction) return { ...extraction, text: '', starts: [] };
  const { text, pages } = unpackText(extraction.extracted);
  return { ...extraction, text, starts: Array.from({ length: pages.length }, (_, i) => pages.at(i)) };
}

/** The bitmap on a page of this size, as wide as that. */
function enlarged({ width, height, pixels }: Bitmap, pageWidth: number, pageHeight: number): Bitmap {
  const by = pageWidth / width;
  const page = {
    width: pageWidth,
    height: pageHeight,
    pixels: new Uint8Array(pageWidth * pageHeight).fill(255),
  };
  for (let y = 0; y < Math.min(pageHeight, Math.floor(height * by)); y++)
    for (let x = 0; x < pageWidth; x++)
      page.pixels[y * pageWidth + x] = pixels[Math.floor(y / by) * width + Math.floor(x / by)] ?? 255;
  return page;
}

describe('pictures', () => {
  it.each<[string, (bitmap: Bitmap) => Buffer]>([
    ['page.png', toPng],
    ['page.bmp', toBmp],
    ['page.tiff', (bitmap) => toTiff([bitmap])],
  ])('%s', async (name, encode) => {
    const { type, text, starts } = await read(name, encode(page));
    expect(type).toBe('image');
    expect(text).toMatch(READ);
    expect(starts[0]?.recognised).toBeGreaterThan(0.7);
  });

  it.each(['page.png', 'page.jpg', 'page.webp', 'page.gif', 'cmyk.jpg', 'sideways.jpg', 'fax.tif'])(
    '%s of another program',
    async (name) => expect((await read(name, pictureFile(name))).text).toMatch(READ),
  );

  test('a TIFF file has pages, which are counted while they are read', async () => {
    const heard: string[] = [];
    const second = writtenPage('second.png');
    const { text, pageCount, starts } = await read('scan.tif', toTiff([page, second]), ({ done, of }) =>
      heard.push(`${done} of ${of}`),
    );
    expect(text).toMatch(/The second page of the file/);
    expect([pageCount, starts.map((start) => start?.page)]).toEqual([2, [1, 2]]);
    expect(heard).toEqual(['0 of 2', '1 of 2', '2 of 2']);
  });

  test('a picture on its head is turned', async () => {
    const pixels = page.pixels.slice().reverse();
    expect((await read('head.png', toPng({ ...page, pixels }))).text).toMatch(READ);
  });
});

describe('scanned pages of a PDF', () => {
  test('are recognised, and pages with text are not', async () => {
    const { text, warnings, starts } = await read('mixed.pdf', scannedPdf([page], { text: 'Typed words.' }));
    expect(text).toMatch(READ);
    expect(text).toContain('Typed words.');
    expect(starts.map((start) => start?.recognised !== undefined)).toEqual([true, false]);
    expect(warnings).toEqual([]);
  });

  test('are as large as a scanner makes them: A4 at 600 dots per inch', async () => {
    expect((await read('scan.pdf', scannedPdf([enlarged(page, 4960, 7016)]))).text).toMatch(READ);
  });

  test.each([90, 180, 270])('turned by %i degrees, they are read as they are shown', async (rotate) => {
    const quarters = rotate / 90;
    let turned = page;
    for (let i = 0; i < (4 - quarters) % 4; i++) turned = quarterTurn(turned);
    expect((await read('turned.pdf', scannedPdf([turned], { rotate }))).text).toMatch(READ);
  });

  test('in strips', async () => {
    expect((await read('strips.pdf', scannedPdf([page], { strips: 12 }))).text).toMatch(READ);
  });
});

/** A quarter of a turn clockwise. */
function quarterTurn({ width, height, pixels }: Bitmap): Bitmap {
  const turned = new Uint8Array(pixels.length);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) turned[x * height + height - 1 - y] = pixels[y * width + x] as number;
  return { width: height, height: width, pixels: turned };
}

describe('bounds', () => {
  const pdf = scannedPdf([page, page], { text: 'Typed words.' });
  const warningsOf = (extraction: Extraction | { warnings?: FileWarning[] }) =>
    'warnings' in extraction ? extraction.warnings?.map(({ code, message }) => `${code} ${message}`) : [];

  test('a page that takes too long is a warning, and the rest of the file is kept', async () => {
    const slow = createRecognition(languages, () => {}, { pageMaxMs: 0 });
    const extraction = await extractFile({ fileName: 'a.pdf', bytes: pdf }, () => {}, slow);
    expect('extracted' in extraction && extraction.extracted.text).toContain('Typed words.');
    expect(warningsOf(extraction)).toEqual([
      'LIMIT_REACHED Pages 1–2: not recognised by OCR within 60 seconds of a processor.',
    ]);
  });

  test('what a file has beyond its time is a warning', async () => {
    const late = createRecognition(languages, () => {}, { fileMaxMs: -1 });
    const extraction = await extractFile({ fileName: 'a.pdf', bytes: pdf }, () => {}, late);
    expect(warningsOf(extraction)).toEqual([
      expect.stringMatching(/^LIMIT_REACHED Pages 1–2: .*split it\.$/),
    ]);
  });

  test('a page with a picture of too many pixels is named', async () => {
    const { width, height } = page;
    const inflated = pdf
      .toString('latin1')
      .replace(
        `/Width ${width} /Height ${height}`,
        `/Width ${9_000 + (width % 1_000)} /Height ${9_000 + (height % 1_000)}`,
      );
    const extraction = await read('huge.pdf', Buffer.from(inflated, 'latin1'));
    expect(extraction.text).toMatch(READ);
    expect(warningsOf(extraction)).toEqual([
      'LIMIT_REACHED Page 1: not recognised by OCR, because the picture has too many pixels.',
    ]);
  });

  test('a small file with a huge picture is refused before it is decoded', async () => {
    const huge = toPng({ width: 8, height: 8, pixels: new Uint8Array(64) });
    huge.writeUInt32BE(60_000, 16);
    huge.writeUInt32BE(60_000, 20);
    const extraction = await read('bomb.png', huge);
    expect(extraction).toMatchObject({ type: 'image', failure: { code: 'FILE_TOO_COMPLEX' } });
  });

  test.each([
    ['cut off in its head', toPng(page).subarray(0, 20), 'FILE_CORRUPT'],
    ['without pixels', toPng({ width: 0, height: 0, pixels: new Uint8Array() }), 'FILE_CORRUPT'],
    ['blank', toPng({ ...page, pixels: new Uint8Array(page.pixels.length).fill(255) }), 'NO_TEXT_EXTRACTED'],
    ['noise', toPng(noise(800, 600)), 'NO_TEXT_EXTRACTED'],
  ])('a picture that is %s fails with its reason', async (_name, bytes, code) => {
    expect(await read('picture.png', bytes)).toMatchObject({ failure: { code } });
  });
});

function noise(width: number, height: number): Bitmap {
  let seed = 1;
  const pixels = new Uint8Array(width * height).map(() => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed >> 23;
  });
  return { width, height, pixels };
}

test('with OCR off, a picture is refused by its name, and a scan has no text', async () => {
  const off = await extractFile({ fileName: 'a.png', bytes: toPng(page) });
  expect(off).toMatchObject({
    failure: { message: expect.stringMatching(/^This is a PNG picture: .*OCR=off/) },
  });
  const scan = await extractFile({ fileName: 'a.pdf', bytes: scannedPdf([page]) });
  expect(scan).toMatchObject({ failure: { code: 'NO_TEXT_EXTRACTED', message: /OCR=off/ } });
});

test('the deletion of a document ends the recognition of its file', async () => {
  const gone = new AbortController();
  const many = toTiff(Array.from({ length: 50 }, () => page));
  const file = { accountId: 'b', fileName: 'a.tif', readBytes: async () => many };
  const onPages = ({ done }: { done: number }) => void (done === 1 && gone.abort());
  await expect(pool.extract({ ...file, onPages }, gone.signal)).rejects.toThrow();
});

test('the languages of the knowledge base are tried first, and at most four', () => {
  const data = ['eng', 'deu', 'fra', 'rus', 'tha'].map((code) => ({ code, file: code }));
  const codes = languagesToTry(data, ['russian', 'german', 'tamil']).map(({ code }) => code);
  expect(codes).toEqual(['rus', 'deu', 'eng', 'fra']);
  expect(installedLanguages('/nowhere').map(({ code }) => code)).toEqual(['eng']);
});

test.skipIf(withGerman === undefined)(
  'a page in a language that was installed is read in it, also where English is tried first',
  async () => {
    const bytes = pictureFile('german.png');
    const extraction = await extractFile(
      { fileName: 'a.png', bytes },
      () => {},
      createRecognition(withGerman ?? []),
    );
    const text = 'extracted' in extraction ? extraction.extracted.text : '';
    expect(text).toContain('Die Bücherei öffnet früh um neun Uhr\nund schließt im Winter schon um fünf.');
  },
);

test('the sizes of pictures stand in their heads', () => {
  const jpeg = Buffer.from('ffd8ffe000040000ffc0000b080123045601', 'hex');
  const gif = Buffer.from('474946383961100020000000002c00000000ff000001', 'hex');
  const webp = Buffer.from('52494646000000005745425056503858000000000000000063000031010000', 'hex');
  expect([jpeg, gif, webp].map((bytes) => pictureSize(bytes))).toEqual([
    { width: 0x456, height: 0x123 },
    { width: 255, height: 256 },
    { width: 100, height: 306 },
  ]);
});
