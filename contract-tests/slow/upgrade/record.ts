/**
 * Makes what upgrade.test.ts starts from: runs this checkout's service, fills it, and saves its backup, its data and
 * its answers. README.md has the commands.
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnCommand } from '../../harness/service/command-line.ts';
import {
  call,
  environmentOf,
  type RunningService,
  startService,
  withEmbeddedDirectory,
} from '../../harness/service/service-process.ts';
import { type Access, searchEach, viewAccount } from './account-view.ts';
import type { Recorded } from './recorded.ts';

const [folder, databaseUrl] = process.argv.slice(2);
if (folder === undefined || databaseUrl === undefined)
  throw new Error('usage: node contract-tests/slow/upgrade/record.ts FOLDER DATABASE_URL');

const SETTINGS = {
  DATABASE_URL: databaseUrl,
  INITIAL_CREDITS: '1000',
  UPLOAD_TICKET_TTL_SECONDS: '3000000000',
};
const documents = join(import.meta.dirname, 'documents');

/** Title → text and a query that finds it. The first has more than one passage. */
const TEXTS: Record<string, [text: string, query: string]> = {
  English: [
    Array.from({ length: 30 }, (_, i) => `Rule ${i + 1}: the harbour pilot signs the tide table.`).join(
      '\n\n',
    ),
    'Who signs the tide table?',
  ],
  Deutsch: ['Die Reisekostenabrechnung wird im März geprüft.', 'Reisekosten im März'],
  Français: ['La boulangère prépare des brioches à l’aube.', 'brioches de la boulangère'],
  Русский: ['Смотритель маяка проверяет фонарь вечером.', 'смотритель маяка'],
  Ελληνικά: ['Ο φαροφύλακας ανάβει το φως το βράδυ.', 'φαροφύλακας'],
  العربية: ['يفتح أمين المكتبة القاعة صباحا.', 'أمين المكتبة'],
  हिन्दी: ['पुस्तकालय सुबह नौ बजे खुलता है।', 'पुस्तकालय'],
  ไทย: ['ห้องสมุดเปิดเวลาเก้าโมงเช้า', 'ห้องสมุด'],
  中文: ['图书馆每天早上九点开门。', '图书馆几点开门'],
  日本語: ['図書館は朝九時に開きます。', '図書館'],
  한국어: ['도서관은 아침 아홉 시에 문을 엽니다.', '도서관'],
};

const command = async (dataDirectory: string, ...args: string[]): Promise<string> => {
  const { output, complaints, code } = await spawnCommand(environmentOf(dataDirectory, SETTINGS), ...args);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${complaints}`);
  return output.trim();
};

const createKnowledgeBase = async (access: Access, name: string): Promise<string> =>
  (
    await call<{ id: string }>(access, 'createKnowledgeBase', {
      name,
      description: `${name} of this release`,
    })
  ).id;

const importText = async (access: Access, knowledgeBaseId: string, title: string, content: string) =>
  (await call<{ id: string }>(access, 'importTextContent', { knowledgeBaseId, title, content })).id;

const askForTicket = (access: Access, knowledgeBaseId: string, fileName: string, size: number) =>
  call<{ fileId: string; uploadUrl: string }>(access, 'presignUploadUrl', {
    knowledgeBaseId,
    fileName,
    size,
  });

async function upload(
  access: Access,
  knowledgeBaseId: string,
  fileName: string,
  bytes: Buffer,
): Promise<string> {
  const { fileId, uploadUrl } = await askForTicket(access, knowledgeBaseId, fileName, bytes.length);
  const { ok } = await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(bytes) });
  if (!ok) throw new Error(`${fileName} was not accepted`);
  return fileId;
}

/** Imports a file. Returns the id of its document. */
async function importFile(access: Access, knowledgeBaseId: string, fileName: string, bytes: Buffer) {
  const fileId = await upload(access, knowledgeBaseId, fileName, bytes);
  return (await call<{ id: string }>(access, 'importFile', { fileId })).id;
}

async function importAndWait(access: Access, knowledgeBaseId: string, fileName: string, bytes: Buffer) {
  const id = await importFile(access, knowledgeBaseId, fileName, bytes);
  await call(access, `getDocumentStatus?documentId=${id}&waitSeconds=30`);
  return id;
}

/** A file of each format. Returns file name → id of its document. */
async function fillFormats(access: Access): Promise<Record<string, string>> {
  const knowledgeBaseId = await createKnowledgeBase(access, 'Formats');
  const imported: Record<string, string> = {};
  for (const name of readdirSync(documents))
    imported[name] = await importAndWait(access, knowledgeBaseId, name, readFileSync(join(documents, name)));
  return imported;
}

async function fillLanguages(access: Access): Promise<void> {
  const knowledgeBaseId = await createKnowledgeBase(access, 'Languages');
  for (const [title, [text]] of Object.entries(TEXTS)) await importText(access, knowledgeBaseId, title, text);
}

/** Failed and deleted documents, a deleted knowledge base, and a request with an idempotency key. */
async function fillStates(access: Access): Promise<Pick<Recorded, 'deleted' | 'keyed'>> {
  const knowledgeBaseId = await createKnowledgeBase(access, 'States');
  await importAndWait(access, knowledgeBaseId, 'blank.txt', Buffer.from(' \n'));
  await importAndWait(access, knowledgeBaseId, 'broken.pdf', Buffer.from('%PDF-1.4\nnothing follows\n'));
  const documentId = await importText(access, knowledgeBaseId, 'Deleted', 'The basilisk was here.');
  await call(access, 'deleteDocument', { documentId });
  const emptied = await createKnowledgeBase(access, 'Deleted');
  await importText(access, emptied, 'Deleted too', 'The cockatrice was here.');
  await call(access, 'deleteKnowledgeBase', { knowledgeBaseId: emptied });
  const [key, input] = [randomUUID(), { knowledgeBaseId, title: 'Once', content: 'The phoenix comes once.' }];
  const response = await fetch(`${access.address}/v1/importTextContent`, {
    method: 'POST',
    headers: { 'x-api-key': access.apiKey, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(input),
  });
  return {
    deleted: { documentId, knowledgeBaseId: emptied },
    keyed: { key, input, answer: await response.text() },
  };
}

/** A ticket that is not used yet, a file that is not imported yet, and one whose import no worker has begun. */
async function fillUnfinished(access: Access): Promise<Recorded['unfinished']> {
  const knowledgeBaseId = await createKnowledgeBase(access, 'Unfinished');
  const content = {
    ticket: 'The selkie arrives.',
    uploaded: 'The kelpie waits.',
    pending: 'The wyvern is read.',
  };
  const ticket = await askForTicket(access, knowledgeBaseId, 'ticket.txt', content.ticket.length);
  const { pathname, search } = new URL(ticket.uploadUrl);
  return {
    knowledgeBaseId,
    ticket: { fileId: ticket.fileId, path: pathname + search, content: content.ticket },
    uploadedFileId: await upload(access, knowledgeBaseId, 'uploaded.txt', Buffer.from(content.uploaded)),
    pendingId: await importFile(access, knowledgeBaseId, 'pending.txt', Buffer.from(content.pending)),
  };
}

/** Opens a second account with little of everything, two knowledge bases, and a key that is revoked. */
async function fillTenant({ address }: RunningService, dataDirectory: string) {
  const limits = ['--credits', '40', '--storage-limit-bytes', '100000', '--knowledge-base-limit', '3'];
  await command(dataDirectory, 'accounts', 'create', 'tenant', ...limits);
  const apiKey = await command(dataDirectory, 'keys', 'create', '--account', 'tenant', '--name', 'in use');
  const revokedKey = await command(
    dataDirectory,
    'keys',
    'create',
    '--account',
    'tenant',
    '--name',
    'revoked',
  );
  await command(dataDirectory, 'keys', 'revoke', revokedKey.split('_')[1] ?? '');
  const access = { address, apiKey };
  await createKnowledgeBase(access, 'Empty');
  const knowledgeBaseId = await createKnowledgeBase(access, 'Of the tenant');
  await importText(access, knowledgeBaseId, 'Secret', 'The griffin belongs to the tenant.');
  return { access, revokedKey };
}

/** Fills a service, and a second start of it without workers. Returns its answers. */
async function fill(dataDirectory: string): Promise<Recorded> {
  const service = await startService(dataDirectory, { settings: SETTINGS });
  const files = await fillFormats(service);
  await fillLanguages(service);
  const states = await fillStates(service);
  const tenant = await fillTenant(service, dataDirectory);
  const animals = Object.keys(files).map((name) => name.split('.')[0]);
  const queries = [
    ...animals.map((animal) => `When does the ${animal} keeper open?`),
    ...Object.values(TEXTS).map(([, query]) => query),
  ];
  const searches = await searchEach(service, queries);
  const tenantSearches = await searchEach(tenant.access, ['griffin']);
  await service.stop();

  const idle = await startService(dataDirectory, { settings: SETTINGS, options: ['--no-worker'] });
  const unfinished = await fillUnfinished(idle);
  const { apiKey } = tenant.access;
  const accounts = [
    { apiKey: idle.apiKey, view: await viewAccount(idle), searches },
    { apiKey, view: await viewAccount({ address: idle.address, apiKey }), searches: tenantSearches },
  ];
  await idle.stop();
  return { accounts, revokedKey: tenant.revokedKey, files, ...states, unfinished };
}

mkdirSync(folder, { recursive: true });
await withEmbeddedDirectory(async (dataDirectory) => {
  const recorded = await fill(dataDirectory);
  writeFileSync(join(folder, 'answers.json'), JSON.stringify(recorded, null, 2));
  await command(dataDirectory, 'backup', join(process.cwd(), folder, 'backup.tar.zst'));
  // INSERT instead of COPY: the test sends the file as one statement.
  const options = ['--inserts', '--rows-per-insert=1000', '--no-owner', '--no-acl', '--file=database.sql'];
  execFileSync('pg_dump', [...options, databaseUrl], { cwd: dataDirectory });
  const names = ['database.sql', 'files', 'api-key', 'upload-secret'];
  execFileSync('tar', ['-czf', join(process.cwd(), folder, 'data.tar.gz'), ...names], { cwd: dataDirectory });
});
