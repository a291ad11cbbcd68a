/** The doctor reads a file of each kind, and says which it cannot read. */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { madeFiles } from '../../extraction/testing/made-files.ts';
import { pictureFile } from '../../extraction/testing/written-page.ts';
import { checkExtraction } from './check-extraction.ts';
import { sampleFiles } from './sample-files.ts';

test('the sample files are those by which the readers are tested', () => {
  const made: Record<string, Buffer> = { ...madeFiles(), 'a.png': pictureFile('second.png') };
  for (const [kind, bytes] of sampleFiles())
    expect([kind, bytes.equals(made[`a.${kind}`] ?? bytes)]).toEqual([kind, true]);
});

test('all of them can be read here', async () => {
  expect(await checkExtraction({ hasOcr: true })).toEqual([]);
});

test('a process that cannot start its program reads none of them, and the doctor says so', async () => {
  const missing = fileURLToPath(new URL('./missing-program.ts', import.meta.url));
  const [{ problem } = { problem: '' }] = await checkExtraction({ hasOcr: false }, missing);
  expect(problem).toContain('(txt, md, html, csv, json, xml, rtf, docx, pptx, xlsx, odt, epub, pdf)');
});
