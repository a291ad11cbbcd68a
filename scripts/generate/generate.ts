/**
 * Writes generated/ (handler types, fetch client, operations of both clients) from spec/openapi.yaml, and there the
 * version of package.json. Copies the files of OCR.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { load } from 'js-yaml';
import manifest from '../../package.json' with { type: 'json' };
import { openJsonParameters } from '../../src/http/contract/json-parameters.ts';
import { isMain, scriptCommand } from '../arguments.ts';
import { writeClientOperations } from './client-operations.ts';
import { type Spec, writeBounds } from './describe-bounds.ts';
import { copyOcrFiles, findOcrDrift } from './ocr-files.ts';
import { writePythonFiles } from './python/python-files.ts';
import { flattenSpec, type Spec as WholeSpec } from './python/spec-shapes.ts';

const root = join(import.meta.dirname, '../..');
const committed = join(root, 'generated');
const specFile = join(root, 'spec/openapi.yaml');

/** Matches the value of `info.version`. */
const VERSION = /(?<=^info:\n(?: .*\n)*? {2}version: ).*$/m;

/** The text of the spec with the version of package.json, the only one that is written by hand. */
const readSpecText = async (): Promise<string> =>
  (await readFile(specFile, 'utf8')).replace(VERSION, manifest.version);

/**
 * The client's runtime comes from the generator. It does not compile under exactOptionalPropertyTypes without the DOM.
 */
const UNCHECKED =
  '// @ts-nocheck: copied from the generator, which does not write it for this strict a compiler';

/**
 * The client's runtime passes all options of a call to `Request`, including its own `client`.
 * Deno takes that for its own option of this name, and refuses every request.
 */
const CLIENT_OPTION = {
  file: 'client/client.gen.ts',
  before: '        ...opts,\n        body: getValidRequestBody(opts),\n',
  after: '        ...opts,\n        client: undefined,\n        body: getValidRequestBody(opts),\n',
};

/** @throws when the generator's output has changed: then CLIENT_OPTION must follow, or may be removed */
async function keepClientOption(path: string): Promise<void> {
  const file = join(path, CLIENT_OPTION.file);
  const parts = (await readFile(file, 'utf8')).split(CLIENT_OPTION.before);
  if (parts.length !== 2) throw new Error(`${CLIENT_OPTION.file} makes its requests in another way now.`);
  await writeFile(file, parts.join(CLIENT_OPTION.after));
}

async function generateInto(path: string): Promise<void> {
  const spec = openJsonParameters(load(await readSpecText()) as Spec & WholeSpec); // the linters of the spec check it
  writeBounds(spec);
  // Before the generator, which changes the spec.
  const flat = flattenSpec(spec);
  const python = writePythonFiles(flat);
  const operations = writeClientOperations(flat);
  await createClient({
    input: spec,
    output: {
      path,
      module: { extension: '.ts' },
      // Only files generated from the spec have a `file` here. The runtime is copied.
      header: ({ file, defaultValue }) => (file ? defaultValue : [...defaultValue, UNCHECKED]),
    },
    logs: { level: 'silent', file: false },
    plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch', 'nestjs'],
  });
  await keepClientOption(path);
  await writeFile(join(path, 'client-operations.ts'), operations);
  await mkdir(join(path, 'python'));
  for (const [name, text] of Object.entries(python)) await writeFile(join(path, 'python', name), text);
}

/** Folders of generated/ that do not come from the spec: scripts/word-vectors/ and ocr-files.ts write them. */
const OTHERS = ['word-vectors/', 'ocr/'];

/** The files below `path`, by their relative names. */
async function readTree(path: string): Promise<Map<string, string>> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(path, join(entry.parentPath, entry.name)))
    .filter((name) => !OTHERS.some((folder) => name.startsWith(folder)));
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(path, name), 'utf8')] as const)),
  );
}

/** The spec, if it has another version than package.json. */
const findVersionDrift = async (): Promise<string[]> =>
  (await readFile(specFile, 'utf8')) === (await readSpecText()) ? [] : ['spec/openapi.yaml'];

/** The files of generated/ that the spec would change, add or remove: their names and new texts; undefined: none. */
async function findDrift(): Promise<[name: string, text: string | undefined][]> {
  const fresh = await mkdtemp(join(tmpdir(), 'generated-'));
  try {
    await generateInto(fresh);
    const [before, after] = await Promise.all([readTree(committed), readTree(fresh)]);
    const names = new Set([...before.keys(), ...after.keys()]);
    const changed = [...names].filter((name) => before.get(name) !== after.get(name)).sort();
    return changed.map((name) => [name, after.get(name)]);
  } finally {
    await rm(fresh, { recursive: true });
  }
}

/** Brings generated/ up to date. The generator itself would empty the whole folder. */
async function writeDrift(): Promise<void> {
  for (const [name, text] of await findDrift()) {
    const file = join(committed, name);
    await mkdir(dirname(file), { recursive: true });
    await (text === undefined ? rm(file) : writeFile(file, text));
  }
}

if (isMain(import.meta.filename)) {
  const { check } = scriptCommand('generate')
    .description(
      'Writes the handler types and the client in generated/ from spec/openapi.yaml, ' +
        'and there the version of package.json. Copies the files of OCR.',
    )
    .option('--check', 'write nothing: name the files that are not up to date')
    .parse()
    .opts<{ check?: true }>();
  if (!check) {
    await writeFile(specFile, await readSpecText());
    await writeDrift();
    if ((await findOcrDrift()).length > 0) await copyOcrFiles();
  } else {
    const names = (await findDrift()).map(([name]) => name);
    const drift = [...(await findVersionDrift()), ...names, ...(await findOcrDrift())];
    for (const file of drift) process.stdout.write(`${file} is not up to date: npm run generate\n`);
    if (drift.length > 0) process.exitCode = 1;
  }
}
