/** What runs before the program of the extraction process. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const preload = fileURLToPath(new URL('extraction-preload.cjs', import.meta.url));

/** Decodes odd numbers of bytes at odd addresses. Without the preload Node 24.21 ends with SIGABRT. */
const DECODE = `
  for (const length of [577, 4097, 5577, 8191])
    for (let i = 0; i < 2000; i++) Buffer.from(new ArrayBuffer(length + 1), 1, length).fill(97).toString('utf16le');
  const text = Buffer.from('Größe', 'utf16le');
  process.stdout.write(JSON.stringify([
    text.toString('utf16le'), text.toString('UCS-2', 2), text.toString('utf-16le', 0, 5), text.toString('ucs2', 4, 2),
    Buffer.from('Größe').toString(), Buffer.from('Größe').toString('utf8', 2, 4), Buffer.from('Gr').toString('hex'),
  ]));
`;

test('libraries may decode UTF-16 of any length, and other encodings as before', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--require', preload, '-e', DECODE]);
  expect(JSON.parse(stdout)).toEqual(['Größe', 'röße', 'Gr', '', 'Größe', 'ö', '4772']);
});

const LOAD_PDFJS = `
  const load = async () => {
    await import('pdfjs-dist/legacy/build/pdf.min.mjs');
    await import('pdfjs-dist/legacy/build/pdf.worker.min.mjs');
    const loaded = process.moduleLoadList.filter((name) => name.includes('undici'));
    process.stdout.write(JSON.stringify(loaded));
  };
  load();
`;

test('pdf.js loads no client for HTTP, which takes a fifteenth of the time of a small file', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--require', preload, '-e', LOAD_PDFJS]);
  expect(JSON.parse(stdout)).toEqual([]);
});
