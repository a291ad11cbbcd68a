/** Packs the package and installs it into a folder outside of the checkout, as a user does. */
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { createCaller } from '../../../src/contract-check/requests/calling.ts';
import { root } from '../../harness/service/service-process.ts';

const run = promisify(execFile);

/** npm's error codes when it cannot reach the registry. */
const UNREACHABLE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTCACHED)\b/;

/** Creates a folder that every operating-system user may enter. `remove` deletes it. */
export async function createFolder(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-package-'));
  await chmod(folder, 0o755);
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  return { folder, remove };
}

/** Exists while a file of this run of tests packs: a build begins by removing dist/. */
const PACKING = join(tmpdir(), `knowledge-retrieval-packing-${process.ppid}`);

/** Builds and packs the package into `folder`, when no other file of tests does. @returns the tarball's path */
export async function packPackage(folder: string): Promise<string> {
  while (
    !(await mkdir(PACKING).then(
      () => true,
      () => false,
    ))
  )
    await delay(200);
  try {
    // Without prepack, which would reinstall the dependencies while tests use them.
    await run(process.execPath, ['scripts/build/build.ts'], { cwd: root });
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root });
  } finally {
    await rm(PACKING, { recursive: true });
  }
  return join(folder, (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? '');
}

/**
 * Packs the package and installs it into `folder`.
 * @returns the directory of the installed package; undefined if npm cannot reach the registry
 */
export async function installPackage(folder: string): Promise<string | undefined> {
  const tarball = await packPackage(folder);
  const flags = ['--prefix', folder, '--prefer-offline', '--no-audit', '--no-fund'];
  try {
    await run('npm', ['install', ...flags, tarball]);
  } catch (error) {
    if (UNREACHABLE.test(String(error))) return undefined;
    throw error;
  }
  return join(folder, 'node_modules', 'knowledge-retrieval');
}

/** Creates a directory for PATH in `folder`, with the package's command and a Node that every user may run. */
export async function linkPrograms(folder: string, packageDirectory: string): Promise<string> {
  const programs = join(folder, 'programs');
  await mkdir(programs);
  await cp(process.execPath, join(programs, 'node'));
  await chmod(join(programs, 'node'), 0o755);
  await symlink(join(packageDirectory, 'bin/knowledge-retrieval.mjs'), join(programs, 'knowledge-retrieval'));
  return programs;
}

/** A port that is free at the moment. */
export async function findPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number }; // listening on TCP
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

/** Imports an HTML file and finds its text. Its extraction needs a child process and a dependency. */
export async function expectSearches(address: string, apiKey: string): Promise<void> {
  const { api } = createCaller({ address, apiKey: apiKey.trim() });
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Installed' });
  const page = '<title>A page</title><p>The okapi is read in a process of its own.';
  const ticket = { knowledgeBaseId, fileName: 'page.html', size: page.length };
  const { uploadUrl, fileId } = await api.presignUploadUrl(ticket);
  await fetch(uploadUrl, { method: 'PUT', body: page });
  const { id } = await api.importFile(fileId);
  expect(await api.getDocumentStatus(id, 30)).toMatchObject({ status: 'processed' });
  expect(await api.query({ query: 'okapi' })).toHaveLength(1);
}

/** Loads the page of the console, and the script that it names. */
export async function expectConsole(address: string): Promise<void> {
  const page = await (await fetch(address, { headers: { accept: 'text/html' } })).text();
  const [, script = ''] = /src="(console\/console-[^"]+\.js)"/.exec(page) ?? [];
  const response = await fetch(`${address}/${script}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/javascript; charset=utf-8',
  ]);
}
