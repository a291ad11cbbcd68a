/**
 * An extraction process that misbehaves. The name of a file, which must be empty, selects how: up to its comma, after
 * which anything may follow.
 */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { packText } from '../../indexing/split/extracted-text.ts';
import type { FileHead } from '../sandbox/extraction-process.ts';

/**
 * The whole answer to the file `number`, as the real program sends it: its text is the files that the process has got.
 */
function answer(number: number): Buffer {
  const text = packText({ text: names.join(' '), headings: [], pages: [], verbatim: [], tables: [] });
  const head = JSON.stringify({
    number,
    extraction: { type: 'txt', warnings: [] },
    textBytes: text.byteLength,
  });
  return Buffer.concat([Buffer.from(`"txt"\n${head}\n`), text]);
}

const names: string[] = [];
let number = 0;
const kept: unknown[] = [];
const misbehaviours: Record<string, () => unknown> = {
  answer: () => process.stdout.write(answer(number)),
  'answer as a pdf': () =>
    process.stdout.write(Buffer.from(answer(number).toString('latin1').replace('"txt"', '"pdf"'), 'latin1')),
  'answer twice': () => process.stdout.write(Buffer.concat([answer(number), answer(number)])),
  'answer the next file too': () => process.stdout.write(Buffer.concat([answer(number), answer(number + 1)])),
  'answer the last file again': () => process.stdout.write(answer(number - 1)),
  'answer later again': () => {
    process.stdout.write(answer(number));
    setTimeout(() => process.stdout.write(answer(number + 1)), 20);
  },
  'answer and end': () => {
    process.stdout.write(answer(number));
    setTimeout(() => process.exit(), 20);
  },
  loop: () => {
    for (;;) kept.length = 0;
  },
  'loop as xml': () => {
    writeSync(1, '"xml"\n');
    misbehaviours.loop?.();
  },
  heap: () => {
    for (;;) kept.push({ kept: [kept.length] });
  },
  buffers: () => {
    for (;;) kept.push(Buffer.alloc(2 ** 20, 1));
  },
  'one buffer': () => kept.push(Buffer.alloc(2 ** 32, 1)),
  flood: () => process.stdout.write('x'.repeat(2 ** 24)),
  lie: () => process.stdout.write(`${JSON.stringify({ number, extraction: {}, textBytes: 2 ** 40 })}\n`),
  chat: () => process.stdout.write('A library found something odd.\n'),
  'announce nothing': () => process.stdout.write(`${JSON.stringify(null)}\n`),
  'announce no outcome': () => process.stdout.write(`${JSON.stringify({ number, textBytes: 0 })}\n`),
  'announce less than nothing': () => process.stdout.write(`${JSON.stringify({ textBytes: -1 })}\n`),
  crash: () => {
    throw new Error('a bug in the extraction');
  },
};
for await (const line of createInterface({ input: process.stdin })) {
  const head = JSON.parse(line) as FileHead; // extraction-processes.ts wrote it
  names.push(head.fileName);
  number = head.number;
  await misbehaviours[head.fileName.split(',')[0] ?? '']?.();
}
