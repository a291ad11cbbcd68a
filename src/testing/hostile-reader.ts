/** A reader that misbehaves as the name of its file says: what the process of a file must not be able to do. */
import { execSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { startWatchdog } from '../ingestion/extraction-watchdog.ts';

await startWatchdog(Number(process.argv[2]));
let input = '';
for await (const piece of process.stdin) input += piece;
const [name = '', content = ''] = input.split('\n').map((line, i) => (i === 0 ? JSON.parse(line) : line));

const whatThrows = (act: () => unknown): string => {
  try {
    return String(act());
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
};

const kept: unknown[] = [];
const misbehaviours: Record<string, () => unknown> = {
  loop: () => {
    for (;;) kept.length = 0;
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
    throw new Error('the reader has a fault');
  },
  report: () => {
    const outcomes = [
      Object.keys(process.env).filter((name) => !/^(PWD|SHLVL|_|OLDPWD)$/.test(name)),
      whatThrows(() => readFileSync('/etc/passwd')),
      whatThrows(() => writeFileSync(`${tmpdir()}/evil.txt`, 'evil')),
      whatThrows(() => execSync('true')),
    ];
    const failure = { code: 'FILE_CORRUPT', message: JSON.stringify(outcomes) };
    process.stdout.write(`${JSON.stringify({ extraction: { type: 'txt', failure }, textBytes: 0 })}\n`);
  },
  // The connection lasts as long as the process.
  'connect and loop': () => connect(Number(content)).once('connect', () => misbehaviours.loop?.()),
};
misbehaviours[name]?.();
