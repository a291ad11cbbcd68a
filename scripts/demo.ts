/** `npm run demo`: imports a few files in three languages into a service of its own and searches them. */
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { withService } from '../contract-tests/harness/service/service-process.ts';
import { createClient } from '../generated/client/index.ts';
import {
  createKnowledgeBase,
  getDocumentStatus,
  importFile,
  presignUploadUrl,
  query,
} from '../generated/sdk.gen.ts';
import { scriptCommand } from './arguments.ts';

const directory = fileURLToPath(new URL('./demo/', import.meta.url));

const QUESTIONS = [
  'How much oil does a chain need?',
  'my wheels slip when it rains',
  'Woran erkenne ich, dass das Brot fertig ist?',
  '绿茶用多少度的水?',
];

const print = (line = '') => void process.stdout.write(`${line}\n`);
const throwOnError = true;

type Client = ReturnType<typeof createClient>;

/** Uploads a file as any client does: ticket, PUT, import. Waits until it is searchable. */
async function upload(client: Client, knowledgeBaseId: string, fileName: string): Promise<void> {
  const bytes = await readFile(directory + fileName);
  const body = { knowledgeBaseId, fileName, size: bytes.length };
  const { data: ticket } = await presignUploadUrl({ client, throwOnError, body });
  const sent = await fetch(ticket.data.uploadUrl, { method: 'PUT', body: bytes });
  if (!sent.ok) throw new Error(`${fileName} was not accepted: ${await sent.text()}`);
  const { data: document } = await importFile({ client, throwOnError, body: { fileId: ticket.data.fileId } });
  let { status } = document.data;
  while (status === 'pending' || status === 'processing') {
    const query = { documentId: document.data.id, waitSeconds: 30 };
    const report = await getDocumentStatus({ client, throwOnError, query });
    status = report.data.data.status;
  }
  print(`  ${fileName}: ${status}`);
}

async function ask(client: Client, question: string): Promise<void> {
  const { data: answer } = await query({ client, throwOnError, body: { query: question, limit: 1 } });
  print(`\n? ${question}`);
  for (const { score, title, location, content } of answer.data) {
    print(`  ${score.toFixed(2)}  ${[title, ...(location?.headings ?? [])].join(' > ')}`);
    print(content.replace(/^/gm, '        '));
  }
}

scriptCommand('demo')
  .description(
    'Starts a service on an empty database, imports the files of scripts/demo/ and searches them. Leaves no files.',
  )
  .parse();
print('Starting a service on an empty database …');
await withService(async ({ address, apiKey }) => {
  const client = createClient({ baseUrl: address, headers: { 'x-api-key': apiKey } });
  const { data: created } = await createKnowledgeBase({ client, throwOnError, body: { name: 'Demo' } });
  print('Importing:');
  for (const fileName of (await readdir(directory)).sort()) await upload(client, created.data.id, fileName);
  for (const question of QUESTIONS) await ask(client, question);
});
