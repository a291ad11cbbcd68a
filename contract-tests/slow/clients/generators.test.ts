/**
 * Generators of clients for other languages make a function of every operation of the spec. `.ci/run` installs them, as
 * far as the machine has Python, Java and Go; the folder is named by GENERATORS.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { operations } from '../../../src/contract-check/spec/read-spec.ts';
import { root } from '../../harness/service/service-process.ts';
import { generatorPath } from './generators.ts';

const run = promisify(execFile);
const spec = join(root, 'spec/openapi.yaml');
const folder = await mkdtemp(join(tmpdir(), 'generated-clients-'));
afterAll(async () => await rm(folder, { recursive: true }));

const names = operations.map(({ operationId }) => operationId);
/** `listDocuments` → `list_documents` */
const toSnake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** `listDocuments` → `ListDocuments` */
const toPascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** The texts of all files with this ending below a folder, one after the other. */
async function readAll(path: string, ending: string): Promise<string> {
  const files = (await readdir(path, { recursive: true })).filter((file) => file.endsWith(ending));
  return (await Promise.all(files.map((file) => readFile(join(path, file), 'utf8')))).join('\n');
}

/** The operations for which the code has no function, whose declaration `pattern` matches. */
const missingIn = (code: string, pattern: (name: string) => RegExp): string[] =>
  names.filter((name) => !pattern(name).test(code));

const python = generatorPath('python/openapi_python_client');
test.skipIf(python === undefined)('openapi-python-client: a module for each operation', async () => {
  const output = join(folder, 'python');
  const options = ['generate', '--path', spec, '--meta', 'none', '--output-path', output];
  const { stdout } = await run('python3', ['-m', 'openapi_python_client', ...options], {
    env: { ...process.env, PYTHONPATH: join(python ?? '', '..') },
  });
  expect(stdout).not.toContain('will not be generated');
  const modules = await readdir(join(output, 'api'), { recursive: true });
  const found = modules.map((path) => path.split('/').at(-1));
  expect(names.filter((name) => !found.includes(`${toSnake(name)}.py`))).toEqual([]);
});

const java = generatorPath('openapi-generator-cli.jar');
const generate = async (language: string, ...options: string[]): Promise<string> => {
  const output = join(folder, language);
  const words = ['generate', '-i', spec, '-g', language, '-o', output, ...options];
  await run('java', ['-jar', java ?? '', ...words], { maxBuffer: 2 ** 26 });
  return output;
};
test.skipIf(java === undefined)(
  'openapi-generator: a method in Java and in Go for each operation',
  async () => {
    const inJava = await readAll(await generate('java', '--library', 'native'), 'Api.java');
    expect(missingIn(inJava, (name) => new RegExp(`public \\S+ ${name}\\(`))).toEqual([]);
    const inGo = await readAll(await generate('go'), '.go');
    expect(missingIn(inGo, (name) => new RegExp(`^func \\(a \\*\\w+\\) ${toPascal(name)}\\(`, 'm'))).toEqual(
      [],
    );
  },
);

const go = generatorPath('oapi-codegen');
test.skipIf(go === undefined)('oapi-codegen: a method in Go for each operation', async () => {
  const options = ['-generate', 'types,client', '-package', 'knowledge', spec];
  const { stdout } = await run(go ?? '', options, { maxBuffer: 2 ** 26 });
  const pattern = (name: string) =>
    new RegExp(`^func \\(c \\*Client\\) ${toPascal(name)}(WithBody)?\\(`, 'm');
  expect(missingIn(stdout, pattern)).toEqual([]);
});
