/** The commands that people use with any server: import a folder, search it, and look after what is there. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, inject, test } from 'vitest';
import { spawnCommand } from '../../harness/service/command-line.ts';
import { createKey, openAccount } from '../../harness/service/opened-account.ts';
import { environmentOf, root, startMock } from '../../harness/service/service-process.ts';

const account = await openAccount();
const folder = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-commands-'));
afterAll(() => rm(folder, { recursive: true }));

const environment = {
  PATH: process.env.PATH,
  DATA_DIR: '/nonexistent',
  KNOWLEDGE_URL: inject('address'),
  KNOWLEDGE_API_KEY: account.apiKey,
};

/** Runs a command with the account's key. */
const run = (...args: string[]) => spawnCommand(environment, ...args);

/** Runs a command that must succeed. Returns its lines of JSON. */
async function runJson<Line = Record<string, unknown>>(...args: string[]): Promise<Line[]> {
  const { output, complaints, code } = await run(...args, '--json');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${complaints}`);
  return output
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line); // the command's own
}

type ImportLine = { file: string; outcome: string };

/** The outcome of each file of an import in JSON, and the numbers of its summary. */
function outcomesOf(lines: (ImportLine | { summary: Record<string, unknown> })[]) {
  const files = lines.filter((line) => 'file' in line).map(({ file, outcome }) => [file, outcome]);
  return { files: Object.fromEntries(files), last: lines.at(-1) };
}

const handbook = join(folder, 'handbook');
await mkdir(join(handbook, 'travel'), { recursive: true });
const write = (path: string, content: string | Uint8Array) => writeFile(join(handbook, path), content);
await write('hours.md', '# Opening hours\n\nThe numbat café opens at nine.');
await write('travel/hotels.md', '# Hotels\n\nA numbat hotel costs 120 euros.');
await write('travel/trains.md', '# Trains\n\nSecond class.');
await write('broken.pdf', '%PDF-1.4\nnothing');
await write('drawing.psd', new Uint8Array([0x38, 0x42, 0x50, 0x53, 0x00, 0x01]));
await write('.secret', 'hidden');

test('without any address, commands call the service that runs on DATA_DIR', async () => {
  const { output, complaints } = await spawnCommand(
    environmentOf(inject('dataDirectory')),
    'usage',
    '--json',
  );
  expect([JSON.parse(output), complaints]).toEqual([
    expect.objectContaining({ limits: expect.anything() }),
    '',
  ]);
});

test('a folder is imported, and the second time only what has changed', { timeout: 120_000 }, async () => {
  const first = await run('import', handbook, '--kb', 'Handbook', '--attributes', '{"year":2026}');
  expect(first.complaints).toContain('There is no knowledge base named "Handbook": it is created.');
  expect(first.complaints).toMatch(/1 file will not be sent:\n {2}drawing\.psd\n.*type/);
  expect(first.output).toMatch(
    /^1 file failed:\n {2}broken\.pdf\n.*→ .*\nHandbook: 3 imported, 1 ignored, 1 failed, /,
  );
  expect(first.code).toBe(1);
  const again = await run('import', handbook, '--kb', 'Handbook');
  expect(again.output).toMatch(
    /^1 file failed before, .*--retry.*\n {2}broken\.pdf\n.*\nHandbook: 3 unchanged, 1 ignored, 1 failed before, /,
  );
  expect(again.code).toBe(3);
  const retrial = await run('import', handbook, '--kb', 'Handbook', '--retry', '--dry-run');
  expect(retrial.output).toMatch(
    /^ {2}would be tried again: broken\.pdf\n.*: 1 would be tried again, 3 unchanged, 1 ignored, /,
  );
  expect(await run('import', handbook, '--kb', 'Handbook', '--retry')).toMatchObject({
    code: 1,
    output: expect.stringContaining('1 file failed:'),
  });
  await rm(join(handbook, 'broken.pdf'));
  await rm(join(handbook, 'travel/trains.md'));
  await write('hours.md', '# Opening hours\n\nThe numbat café opens at eight.');
  const refused = await run('import', handbook, '--kb', 'Handbook', '--delete');
  expect(refused).toMatchObject({ code: 1, output: '', complaints: expect.stringContaining('--yes') });
  const told = await run('import', handbook, '--kb', 'Handbook', '--dry-run');
  expect(told.output).toMatch(
    /^ {2}would be updated: hours\.md\n.*: 1 would be updated, 1 unchanged, 1 ignored, /,
  );
  const trial = outcomesOf(await runJson('import', handbook, '--kb', 'Handbook', '--delete', '--dry-run'));
  const second = outcomesOf(await runJson('import', handbook, '--kb', 'Handbook', '--delete', '--yes'));
  expect(second.files).toEqual({
    'hours.md': 'updated',
    'travel/hotels.md': 'unchanged',
    'drawing.psd': 'ignored',
    'travel/trains.md': 'deleted',
    'broken.pdf': 'deleted',
  });
  expect(trial.files).toEqual(second.files);
  expect(second.last).toMatchObject({
    summary: {
      name: 'Handbook',
      imported: 0,
      updated: 1,
      unchanged: 1,
      deleted: 2,
      failedBefore: 0,
      failed: 0,
    },
  });
  const { data } = await account.api.listDocuments({ knowledgeBaseId: await handbookId() });
  expect(data.map(({ externalId, attributes }) => [externalId, attributes]).toSorted()).toEqual([
    ['hours.md', undefined],
    ['travel/hotels.md', { year: 2026 }],
  ]);
});

test('at the limit of the account the import stops, and says how to go on', async () => {
  const small = await openAccount({ storageLimitBytes: 90 });
  const stopped = await run('import', handbook, '--kb', 'Full', '--concurrency', '1', '--key', small.apiKey);
  expect(stopped).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^Full: 1 imported, 1 ignored, .* s\.\n$/),
    complaints: expect.stringMatching(/limit of 90 bytes.* --storage-limit-bytes`\. Run the command again/),
  });
});

test('with a key that may not write the import stops, and asks for one that may', async () => {
  const { key } = await account.api.createKey({ name: 'reader', scope: 'search' });
  const { id: knowledgeBaseId } = await account.api.createKnowledgeBase({ name: 'Notes' });
  const file = join(folder, 'note.md');
  await writeFile(file, 'A note.');
  expect(await run('import', file, '--kb', 'Notes', '--key', key)).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^Notes: none imported, .* s\.\n$/),
    complaints: expect.stringMatching(
      /makes a key that may write\. Run the command again with such a key\.\n/,
    ),
  });
  await account.api.deleteKnowledgeBase(knowledgeBaseId);
});

async function handbookId(): Promise<string> {
  const { data } = await account.api.listKnowledgeBases();
  return data.find(({ name }) => name === 'Handbook')?.id ?? '';
}

test('a search names the knowledge base of each result, where several are searched', async () => {
  await run('kb', 'create', 'Elsewhere');
  const placesOf = async (...options: string[]) => {
    const { output } = await run('search', 'numbat hotel', ...options);
    return output.split('\n').filter((line) => /^ {3}0\.\d+ · /.test(line));
  };
  const everywhere = await placesOf();
  expect(everywhere).not.toEqual([]);
  for (const line of everywhere) expect(line).toMatch(/^ {3}0\.\d+ · Handbook · /);
  for (const line of await placesOf('--kb', 'Handbook', '--kb', 'Elsewhere'))
    expect(line).toContain(' · Handbook · ');
  const alone = await placesOf('--kb', 'Handbook');
  expect(alone).not.toEqual([]);
  expect(alone.join('\n')).not.toContain('Handbook');
  await run('kb', 'delete', 'Elsewhere', '--yes');
});

test('search is read by people, by programs, and by `head`', async () => {
  const shown = await run('search', 'numbat', 'hotel', '--kb', 'Handbook');
  expect(shown.output).toMatch(/^1 {2}hotels\.md\n {3}0\.\d+ · Hotels · travel\/hotels\.md\n/);
  expect(shown.output).toContain('\n   A numbat hotel costs 120 euros.');
  expect(shown.output).not.toContain('\u001b');
  const [first] = await runJson('search', 'numbat hotel', '--limit', '1', '--explain');
  expect(first).toMatchObject({ title: 'hotels.md', explanation: { missing: [] } });
  const [byWords] = await runJson('search', 'numbat hotel', '--limit', '1', '--explain', '--mode', 'words');
  expect(byWords).toMatchObject({ title: 'hotels.md', explanation: { missing: [] } });
  expect(byWords).not.toHaveProperty('explanation.meaning');
  const program = `${process.execPath} bin/knowledge-retrieval.mjs search numbat | head -1; echo "\${PIPESTATUS[0]}"`;
  const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-c', program], {
    cwd: root,
    env: environment,
  });
  expect([stdout, stderr]).toEqual([expect.stringMatching(/^1 {2}.*\n0\n$/), '']);
  const nothing = await run('search', 'zyzzyva', '--kb', 'Handbook');
  expect(nothing).toMatchObject({
    code: 0,
    output: '',
    complaints: expect.stringContaining('other or fewer words'),
  });
});

test('search takes every option of a query', async () => {
  const kb = ['--kb', 'Handbook'];
  const narrow = ['--prefix', '--document', 'travel/hotels.md', '--max-per-document', '1', '--no-rerank'];
  expect(await runJson('search', 'numbat hot', ...kb, ...narrow, '--min-score', '0.01')).toEqual([
    expect.objectContaining({ title: 'hotels.md' }),
  ]);
  const nothing = await run('search', 'numbat hotel costs', ...kb, '--min-score', '1');
  expect(nothing.complaints).toContain('Try it without --min-score.');
  expect(await run('search', 'numbat', '--min-score', '2')).toMatchObject({
    code: 1,
    complaints: expect.stringContaining('A number from 0 to 1'),
  });
});

test('a document gets other facts, and a webhook is created, listed and deleted', async () => {
  const document = ['travel/hotels.md', '--kb', 'Handbook'];
  await run('docs', 'update', ...document, '--source-url', 'https://example.com/hotels');
  expect(await runJson('docs', 'show', ...document)).toMatchObject([
    { title: 'hotels.md', sourceUrl: 'https://example.com/hotels' },
  ]);
  await run('docs', 'update', ...document, '--source-url', '');
  const created = await run('webhooks', 'create', 'https://hooks.example.com/', '--event', 'document.failed');
  const [, id = ''] = /^id {6}(\S+)\nsecret {2}whsec_/.exec(created.output) ?? [];
  expect(await runJson('webhooks', 'list')).toMatchObject([{ id, events: ['document.failed'] }]);
  await run('webhooks', 'delete', id);
  expect(await runJson('webhooks', 'list')).toEqual([]);
});

test('search says which words are near in meaning', async () => {
  const mock = await startMock();
  const at = ['--url', mock.address, '--key', 'any'];
  const { output } = await run('search', 'reimbursement', '--explain', '--mode', 'meaning', ...at);
  expect(output).toMatch(/^ +0\.\d+ {2}by meaning: reimbursement ≈ refund$/m);
  await mock.stop();
});

test('documents are found by id, path and title', async () => {
  const kb = ['--kb', 'Handbook'];
  const [[hotels], byPath, text] = await Promise.all([
    runJson('docs', 'list', ...kb, '--title', 'hotel'),
    runJson('docs', 'show', 'travel/hotels.md', ...kb),
    run('docs', 'text', 'hotels.md', ...kb),
  ]);
  expect(byPath).toEqual([expect.objectContaining({ id: hotels?.id, status: 'processed' })]);
  expect(text.output).toContain('A numbat hotel costs 120 euros.');
  const [shown, retried] = await Promise.all([
    run('docs', 'show', String(hotels?.id)),
    run('docs', 'retry', String(hotels?.id)),
  ]);
  expect(shown.output).toMatch(/^id +\S+\ntitle +hotels\.md\npath +travel\/hotels\.md\n/);
  expect(retried).toMatchObject({
    code: 1,
    complaints: expect.stringContaining('this document is processed'),
  });
});

test('a file that fails is named once, with what helps', async () => {
  const damaged = join(folder, 'damaged.pdf');
  await writeFile(
    damaged,
    Buffer.from(Array.from({ length: 4_096 }, (_, i) => (i * 7_919 + (i >> 3)) % 256)),
  );
  const { output, complaints } = await run('import', damaged, '--kb', 'Handbook');
  expect(complaints).not.toContain('damaged.pdf');
  expect(output.match(/damaged\.pdf/g)).toHaveLength(1);
  expect(output).toMatch(/no pdf, as its name says\.\s+→ Open it in its program/);
});

test('the list says why a document has failed; only pages may be scans', async () => {
  const blank = join(folder, 'blank.txt');
  await writeFile(blank, '\u200b \n');
  const imported = await run('import', blank, '--kb', 'Blank files');
  expect(imported.output).toMatch(
    /^1 file failed:\n {2}blank\.txt\n +The file holds no readable text\.\nBlank files: /,
  );
  const { output } = await run('docs', 'list', '--kb', 'Blank files', '--status', 'failed');
  expect(output).toMatch(/ reason\n.* blank\.txt +The file holds no readable text\.\n$/);
  expect(await run('kb', 'delete', 'Blank files', '--yes')).toMatchObject({ code: 0 });
});

test('a document is downloaded as it was, and replaces no file', async () => {
  const download = (...args: string[]) =>
    run('docs', 'download', 'travel/hotels.md', '--kb', 'Handbook', ...args);
  const output = join(folder, 'downloaded.md');
  expect(await download('--output', output)).toMatchObject({ code: 0, output: '' });
  expect(await readFile(output, 'utf8')).toBe(await readFile(join(handbook, 'travel/hotels.md'), 'utf8'));
  const again = await download('--output', output);
  expect(again).toMatchObject({ code: 1, complaints: expect.stringContaining('exists already') });
});

test('knowledge bases are created, renamed and deleted; usage counts them', async () => {
  const created = await run('kb', 'create', 'Temporary', '--description', 'For a test');
  expect(created).toMatchObject({ code: 0, output: expect.stringMatching(/^[0-9a-f-]{36}\n$/) });
  const [renamed] = await runJson('kb', 'rename', 'Temporary', 'Temporal');
  expect(renamed).toMatchObject({ id: created.output.trim(), name: 'Temporal', description: 'For a test' });
  const twin = await run('kb', 'create', 'Temporal');
  expect(twin.complaints).toContain('Another knowledge base is named "Temporal" too');
  await run('kb', 'delete', twin.output.trim(), '--yes');
  const [list, usage] = await Promise.all([run('kb', 'list'), run('usage')]);
  expect(list.output).toMatch(
    /^id +documents +passages +storage +created +name\n.* Temporal\n.* Handbook\n$/,
  );
  expect(usage.output).toMatch(/^knowledge bases +2 of \d+\n/);
  const unconfirmed = await run('kb', 'delete', 'Temporal');
  expect(unconfirmed).toMatchObject({ code: 1, complaints: expect.stringContaining('with 0 documents?') });
  expect(await runJson('kb', 'delete', 'Temporal', '--yes')).toEqual([{ id: renamed?.id }]);
});

const searchKey = await createKey(account.name, undefined, { scope: 'search' });

test.each([
  ['a knowledge base that is mistyped', ['search', 'x', '--kb', 'Hanbook'], 'Did you mean "Handbook"?'],
  ['a filter that is none', ['search', 'x', '--filter', 'a ='], 'The filter is wrong at character 4'],
  [
    'a filter that the service refuses',
    ['search', 'x', '--filter', '{"type":"eq"}'],
    'filter.key is required.',
  ],
  ['a number out of range', ['search', 'x', '--limit', '51'], 'from 1 to 50'],
  ['an unknown mode', ['search', 'x', '--mode', 'vector'], 'Allowed choices are words, meaning, both'],
  ['an option that is mistyped', ['search', 'x', '--limt', '5'], 'Did you mean --limit?'],
  [
    'a path without a file',
    ['import', '/nonexistent', '--kb', 'Handbook'],
    'There is no file or folder /nonexistent.',
  ],
  ['a title without a knowledge base', ['docs', 'show', 'hotels.md'], 'is no id'],
  ['a server that is not there', ['usage', '--url', 'http://127.0.0.1:1'], 'Is the service running'],
  ['an address that is none', ['usage', '--url', 'here'], 'An address, please'],
  ['an unknown command', ['nonsense', '--help'], "unknown command 'nonsense'"],
  [
    'https at a server of http',
    ['usage', '--url', `https://${new URL(account.address).host}`],
    'It speaks http',
  ],
  ['a wrong key', ['usage', '--key', 'x'], 'KNOWLEDGE_API_KEY or --key'],
  ['a search without a question', ['search'], 'knowledge-retrieval search --help'],
  ['a key that may only search', ['kb', 'create', 'x', '--key', searchKey], '`keys create --scope write`'],
])('%s is a sentence and exit code 1', async (_what, args, sentence) => {
  const { output, complaints, code } = await run(...args);
  expect({ output, code }).toEqual({ output: '', code: 1 });
  expect(complaints).toContain(sentence);
  expect(complaints).not.toMatch(/^ +at /m);
});

test.each([
  ['no key', ['check', '--key', ''], 'Give the key of that service too'],
  ['a number out of range', ['check', '--timeout', '0'], 'from 1 to 86400'],
  ['an unknown option', ['check', '--tiemout', '9'], 'Did you mean --timeout?'],
])('check with %s is exit code 2: nothing was checked', async (_what, args, sentence) => {
  const { complaints, code } = await run(...args);
  expect({ complaints, code }).toEqual({ complaints: expect.stringContaining(sentence), code: 2 });
});
