/** The installed package: its files, and that it runs outside of the checkout, also as the container image. */
import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { end, readGreeting, root } from '../../harness/service/service-process.ts';
import { expectImageWorks, imageMissing, instructions } from './docker-image.ts';
import {
  createFolder,
  expectConsole,
  expectSearches,
  findPort,
  installPackage,
} from './installed-package.ts';

const run = promisify(execFile);
const { folder, remove } = await createFolder();
afterAll(remove);
const installed = await installPackage(folder);
if (installed === undefined)
  process.stdout.write('Skipped: the installed package. npm’s registry cannot be reached.\n');
const testInstalled = test.skipIf(installed === undefined);

/** Patterns of the paths of all files that belong in the package. */
const PACKAGE_FILES = [
  /^(LICENSE|README\.md|package\.json|spec\/openapi\.yaml)$/,
  /^(docs|spec|src)\/.*\.md$/,
  /^generated\/word-vectors\/[\w-]+\.(md|bin)$/,
  /^generated\/ocr\/(LICENSE|NOTICE\.md|[\w.-]+\.(gz|cjs|wasm))$/,
  /^docs\/(console\.png|latency\.svg)$/,
  /^bin\/[\w-]+\.mjs$/,
  /^dist\/.+\.(js|cjs|mjs|css|html)$/,
  /^dist\/completions\/[\w.-]+$/,
  /^dist\/(src\/client|generated)\/.+\.d\.ts$/,
];
const isPackageFile = (path: string): boolean =>
  PACKAGE_FILES.some((pattern) => pattern.test(path)) &&
  !/\.test\.|(^|\/)(testing|contract-tests)\//.test(path);

testInstalled('it contains programs, the spec and documentation, but no tests', async () => {
  const entries = await readdir(installed ?? '', { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(`${installed}/`.length));
  expect(files.filter((file) => !isPackageFile(file))).toEqual([]);
  const completions = [
    '_knowledge-retrieval',
    ...['bash', 'fish', 'ps1'].map((end) => `knowledge-retrieval.${end}`),
  ];
  expect(files).toEqual(expect.arrayContaining(completions.map((file) => `dist/completions/${file}`)));
});

/** Prints the name of the only knowledge base, through the client of the package. */
const USES_CLIENT = `
  import { createKnowledgeRetrieval } from 'knowledge-retrieval/client';
  const { ADDRESS: baseUrl, API_KEY: apiKey } = process.env;
  const knowledge = createKnowledgeRetrieval({ baseUrl, apiKey });
  const { data } = await knowledge.listKnowledgeBases();
  console.log(data.map(({ name }) => name).join());`;

testInstalled(
  'in an empty folder the command serves, client and commands find it, and doctor finds nothing wrong',
  async () => {
    const cwd = join(folder, 'empty');
    await mkdir(cwd);
    const command = join(folder, 'node_modules/.bin/knowledge-retrieval');
    const PORT = await findPort();
    const env = { PATH: process.env.PATH, PORT, LOG_LEVEL: 'warn' };
    const server = spawn(command, ['serve'], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await readGreeting(server, /answers at (http:\S+)/);
      const apiKey = await readFile(join(cwd, '.data/api-key'), 'utf8');
      await expectSearches(`http://127.0.0.1:${PORT}`, apiKey);
      await expectConsole(`http://127.0.0.1:${PORT}`);
      const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', USES_CLIENT], {
        cwd: folder,
        env: { ...env, ADDRESS: `http://127.0.0.1:${PORT}`, API_KEY: apiKey.trim() },
      });
      expect(stdout).toBe('Installed\n');
      expect((await run(command, ['search', 'okapi', '--json'], { cwd, env })).stdout).toContain('The okapi');
      expect((await run(command, ['doctor'], { cwd, env })).stdout).toContain('\n0 problems');
      // The account has a knowledge base with a document: no check may depend on an empty one, or change it.
      const { stdout: checked } = await run(command, ['check', '--junit', 'contract.xml'], { cwd, env });
      expect(checked).toMatch(/The contract is kept: (\d+) of \1 checks passed; \d+ need the operator\.\n$/);
      expect(await readFile(join(cwd, 'contract.xml'), 'utf8')).toContain('<testsuite name="query"');
    } finally {
      await end(server, 'SIGTERM');
    }
    expect(server.exitCode).toBe(0);
  },
);

/** German data of OCR, as npm installs it; undefined where it is not there. */
const german = process.env.OCR_LANGUAGES && join(process.env.OCR_LANGUAGES, 'deu');

test.skipIf(installed === undefined || german === undefined)(
  'a German scan is read once German is installed, in a knowledge base of German texts',
  async () => {
    await cp(german ?? '', join(folder, 'node_modules/@tesseract.js-data/deu'), { recursive: true });
    const cwd = join(folder, 'german');
    await mkdir(cwd);
    const scan = join(root, 'src/extraction/testing/pictures/german.png');
    await writeFile(
      join(cwd, 'regeln.md'),
      'Die Bäume im Garten der Schule werden jedes Jahr im Herbst beschnitten. '.repeat(20),
    );
    const command = join(folder, 'node_modules/.bin/knowledge-retrieval');
    const env = { PATH: process.env.PATH, PORT: await findPort(), LOG_LEVEL: 'warn' };
    const server = spawn(command, ['serve'], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await readGreeting(server, /answers at (http:\S+)/);
      const use = async (...options: string[]) => (await run(command, options, { cwd, env })).stdout;
      expect(await use('doctor')).toMatch(/ocr \(languages: .*\bdeu\b/);
      await use('import', 'regeln.md', '--kb', 'Haus');
      await use('import', scan, '--kb', 'Haus');
      const found = await use('search', 'Wann öffnet die Bücherei?', '--kb', 'Haus', '--json');
      expect(found).toContain('Die Bücherei öffnet früh um neun Uhr');
      expect(found).toMatch(/"recognised": ?\{ ?"confidence": ?0?\.9/);
    } finally {
      await end(server, 'SIGTERM');
      await rm(join(folder, 'node_modules/@tesseract.js-data'), { recursive: true });
    }
  },
);

testInstalled(
  'a setting whose packages are not installed ends the start with the command for it',
  async () => {
    const cwd = join(folder, 'without-packages');
    await mkdir(cwd);
    const env = { PATH: process.env.PATH, S3_BUCKET: 'files', LOG_LEVEL: 'warn' };
    const command = join(folder, 'node_modules/.bin/knowledge-retrieval');
    const started = run(command, ['serve'], { cwd, env });
    await expect(started).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^S3_BUCKET: .*\n {2}npm install "@aws-sdk\/client-s3@\^\d/),
    });
  },
);

test.skipIf(installed === undefined || imageMissing)(
  'as an image it runs as its user on a read-only root, is healthy, and stops at its signal',
  async () => {
    await expectImageWorks(folder, installed ?? '');
  },
);

test('every stage of the image starts from exactly the Node version that an old Node gets', async () => {
  const installer = await readFile(join(root, 'scripts/install.mjs'), 'utf8');
  const [, version] = /'node@(\d+\.\d+\.\d+)'/.exec(installer) ?? [];
  const bases = instructions('FROM').map((value) => value.split(' ')[0]);
  expect(bases).toEqual([`node:${version}-bookworm-slim`, `node:${version}-bookworm-slim`]);
});
