/** An extraction process that misbehaves. The file's name selects how. */
import { writeSync } from 'node:fs';

let input = '';
for await (const piece of process.stdin) input += piece;
const name = JSON.parse(input.slice(0, input.indexOf('\n'))) as string; // extraction-pool.ts wrote it

const kept: unknown[] = [];
const misbehaviours: Record<string, () => unknown> = {
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
  lie: () => process.stdout.write(`${JSON.stringify({ extraction: {}, textBytes: 2 ** 40 })}\n`),
  chat: () => process.stdout.write('A library found something odd.\n'),
  'announce nothing': () => process.stdout.write(`${JSON.stringify(null)}\n`),
  'announce less than nothing': () => process.stdout.write(`${JSON.stringify({ textBytes: -1 })}\n`),
  crash: () => {
    throw new Error('a bug in the extraction');
  },
};
misbehaviours[name]?.();
