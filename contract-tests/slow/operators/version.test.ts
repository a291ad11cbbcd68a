/** The version in package.json is the only one that is written by hand. Everything else shows it, or follows it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { readDocument } from '../../../src/contract-check/spec/read-document.ts';
import { runCommand } from '../../harness/service/command-line.ts';
import { root } from '../../harness/service/service-process.ts';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };

const fetchJson = async (path: string): Promise<unknown> => (await fetch(inject('address') + path)).json();

test('the command, the address for programs and the spec show it', async () => {
  expect(await runCommand(inject('dataDirectory'), '--version')).toBe(version);
  expect(await fetchJson('/')).toMatchObject({ data: { version } });
  expect(await fetchJson('/openapi.json')).toMatchObject({ info: { version } });
});

test('it is that of the newest release: of the lock file, the released spec, the package that is installed', () => {
  expect(JSON.parse(read('package-lock.json'))).toMatchObject({ version });
  expect(readDocument(join(root, 'spec/released.yaml'))).toMatchObject({ info: { version } });
  const pages = read('docs/package.md') + read('docs/agents.md') + read('docs/operating.md');
  const packages = [...pages.matchAll(/knowledge-retrieval-(\d[\d.]*)\.tgz/g)].map(([, named]) => named);
  expect(new Set(packages)).toEqual(new Set([version]));
});

test('the page of changes begins with it, or with what is not released yet', () => {
  const [newest, ...earlier] = [...read('docs/changes.md').matchAll(/^## (?:Unreleased|(\d.*))$/gm)].map(
    ([, named]) => named,
  );
  expect(newest ?? earlier[0]).toBe(version);
});
