/** The command blocks of the README and of docs/ run as they stand, each page's one after the other. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { keepService } from '../../harness/service/kept-service.ts';
import { call, environmentOf, root } from '../../harness/service/service-process.ts';

/** Blocks with such a line need something that is not there: what, or which test runs them. */
const ELSEWHERE: [RegExp, string][] = [
  [/^npm start/m, 'start.test.ts'],
  [/^npm (pack|install)/m, 'package.test.ts'],
  [/^docker /m, 'Docker; compose.test.ts reads the files'],
  [/^claude /m, 'a program of others'],
  [/^openapi-python-client /m, 'generators.test.ts'],
  [/import https:/, 'the internet; addresses.test.ts imports by address'],
];

const blocksOf = (page: string): string[] =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(
    ([, block = '']) => block,
  );

const isRunHere = (block: string): boolean => !ELSEWHERE.some(([line]) => line.test(block));

const README = 'README.md';
/** The block of the README that defines `api` and `$KB`, which other pages use. */
const definitions = blocksOf(README).filter((block) => block.startsWith('api() {'));
const pages = readdirSync(join(root, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name): [string, string[]] => [
    `docs/${name}`,
    [...definitions, ...blocksOf(`docs/${name}`).filter(isRunHere)],
  ])
  .filter(([, blocks]) => blocks.length > definitions.length);

const service = await keepService();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-pages-'));
  await cp(join(root, 'README.md'), join(folder, 'README.md'));
  await cp(join(root, 'docs'), join(folder, 'docs'), { recursive: true });
  await symlink(service.dataDirectory, join(folder, '.data'));
});
afterAll(() => rm(folder, { recursive: true }));
// Each page makes a knowledge base of the same name.
beforeEach(async () => {
  for (const { id } of await call<{ id: string }[]>(service, 'listKnowledgeBases'))
    await call(service, 'deleteKnowledgeBase', { knowledgeBaseId: id });
});

/** What a reader types, with this service's address and the command of this checkout; it waits for no import. */
const asTyped = (block: string): string =>
  block
    .replaceAll('http://127.0.0.1:8080', service.address)
    .replaceAll('waitSeconds=30', 'waitSeconds=1')
    .replaceAll(
      'npx knowledge-retrieval',
      `'${process.execPath}' '${join(root, 'bin/knowledge-retrieval.mjs')}'`,
    );

async function run(blocks: string[]) {
  const script = ['set -eu', ...blocks.map(asTyped)].join('\n');
  const child = spawn('bash', ['-c', script], {
    cwd: folder,
    env: {
      ...environmentOf(service.dataDirectory),
      KNOWLEDGE_URL: service.address,
      KNOWLEDGE_API_KEY: service.apiKey,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, complaints, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { refusals: output.match(/\{"success":false[^}]*\}/g), complaints, code, output };
}

test.each([[README, blocksOf(README).filter(isRunHere)] as const, ...pages])('%s', async (_, blocks) => {
  expect(await run([...blocks])).toMatchObject({
    refusals: null,
    code: 0,
    complaints: expect.not.stringMatching(/error/i),
  });
});

test('each kind of block that does not run here still stands on a page', () => {
  const all = [README, ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)]
    .filter((page) => page.endsWith('.md'))
    .flatMap(blocksOf);
  const unused = ELSEWHERE.filter(([line]) => !all.some((block) => line.test(block)));
  expect(unused).toEqual([]);
});
