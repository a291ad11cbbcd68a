/** Which files an import finds, what it calls them, and which it refuses before it sends any. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { FILE_SIZE_MAX } from '../../client/upload/file-source.ts';
import { checkFile } from './check-file.ts';
import { createExclusion } from './exclude-pattern.ts';
import { type FindOptions, findFiles, type Root, readRoot } from './find-files.ts';
import { scanFiles } from './scan-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'knowledge-retrieval-import-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(path: string, content: string | Uint8Array = 'text'): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

for (const path of ['a.md', 'sub/b.txt', 'sub/[c].md', '.hidden.md', '.git/config', 'node_modules/m/r.md'])
  write(`tree/${path}`);
symlinkSync('..', join(folder, 'tree/sub/up'));
symlinkSync('sub', join(folder, 'tree/link'));
symlinkSync('nowhere', join(folder, 'tree/dangling'));

async function find(path: string, options: Partial<FindOptions> = {}): Promise<string[]> {
  const root = await readRoot(join(folder, path), undefined);
  const found: string[] = [];
  for await (const { externalId } of findFiles(root, {
    all: false,
    prefix: '',
    isExcluded: () => false,
    ...options,
  }))
    found.push(externalId);
  return found.toSorted();
}

test('a folder: all below it by their paths, also through links, but not in a circle', async () => {
  const below = ['a.md', 'link/[c].md', 'link/b.txt', 'sub/[c].md', 'sub/b.txt'];
  expect(await find('tree')).toEqual(below);
  const hidden = ['.git/config', '.hidden.md', 'node_modules/m/r.md'];
  expect(await find('tree', { all: true })).toEqual([...below, ...hidden].toSorted());
  expect(await find('tree', { prefix: 'p/' })).toEqual(below.map((path) => `p/${path}`));
});

test('a glob: paths below its part without wildcards; hidden ones only where it names them', async () => {
  expect(await find('tree/**/*.md')).toEqual(['a.md', 'sub/[c].md']);
  expect(await find('tree/sub/*')).toEqual(['[c].md', 'b.txt']);
  expect(await find('tree/.git/*')).toEqual(['config']);
  expect(await find('tree/*/m/*.md', { all: true })).toEqual(['node_modules/m/r.md']);
});

test('what a pattern excludes is left out with all below it', async () => {
  const isExcluded = createExclusion(['sub/', '*.txt']);
  expect(await find('tree', { isExcluded })).toEqual(['a.md', 'link/[c].md']);
  expect(await find('tree/**/*.md', { isExcluded })).toEqual(['a.md']);
});

test('a file: its name, also where that looks like a glob', async () => {
  expect(await find('tree/sub/[c].md')).toEqual(['[c].md']);
  await expect(find('tree/missing.md')).rejects.toThrow('There is no file or folder');
  await expect(readRoot('-', undefined)).rejects.toThrow('--name');
});

const check = async (path: string, isNamed = false) =>
  (await checkFile({ path: join(folder, path), externalId: path, isNamed })).obstacle;

test('what the service refuses is found before; in folders some is expected', async () => {
  write('empty.txt', '');
  write('picture.heic', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0', 'latin1'));
  truncateSync(write('large.txt'), FILE_SIZE_MAX + 1);
  expect(await check('empty.txt')).toMatchObject({ reason: 'It is empty.', isHarmless: true });
  expect(await check('empty.txt', true)).toMatchObject({ isHarmless: false });
  expect(await check('picture.heic')).toEqual({
    reason: 'The service does not read this type: it is a HEIC or AVIF picture.',
    help: expect.stringMatching(/^Recognise its text by an OCR program/),
    isHarmless: true,
  });
  expect(await check('large.txt')).toMatchObject({
    reason: expect.stringContaining('50 MiB'),
    isHarmless: false,
  });
  expect(await check('gone.txt')).toMatchObject({
    reason: expect.stringContaining('ENOENT'),
    isHarmless: false,
  });
  expect(await check(`tree/${'../tree/'.repeat(40)}a.md`)).toMatchObject({
    reason: expect.stringContaining('256 characters'),
  });
  expect(await check('tree/a.md')).toBeUndefined();
});

test('an archive is judged by its whole length: its contents stand at the end', async () => {
  const zip = (part: string) => Buffer.from(`PK\x03\x04${'\0'.repeat(40_000)}${part}`, 'latin1');
  write('long.docx', zip('word/document.xml'));
  write('long.zip', zip('photo.jpg'));
  write('long.key', zip('Index/Document.iwa'));
  expect(await check('long.docx')).toBeUndefined();
  expect(await check('long.zip')).toBeUndefined();
  expect(await check('long.key')).toMatchObject({
    reason: 'The service does not read this type: it is an Apple Keynote document.',
    isHarmless: true,
  });
});

test('two files that would be the same document are refused', async () => {
  write('other/a.md');
  const roots: Root[] = ['tree', 'other'].map((path) => ({ kind: 'folder', path: join(folder, path) }));
  const scan = (prefix: string, of: Root[]) =>
    scanFiles(of, { all: false, prefix, isExcluded: () => false }, () => {});
  await expect(scan('', roots)).rejects.toThrow('would both be "a.md"');
  expect(await scan('', roots.slice(0, 1))).toMatchObject({ count: 5, totalBytes: 20 });
});
