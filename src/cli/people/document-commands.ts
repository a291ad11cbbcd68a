/** The commands for documents. */
import { writeFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import type {
  Attributes,
  Document,
  DocumentDetails,
  DocumentStatus,
  DocumentStatusReport,
} from '../../../generated/types.gen.ts';
import type { KnowledgeRetrieval } from '../../client/client.ts';
import { KnowledgeRetrievalError } from '../../client/errors.ts';
import { pageUnit } from '../../client/found-place.ts';
import { enumerate, formatBytes, formatMinute, pluralise } from '../../terminal/formats.ts';
import { printFacts, printTable } from '../../terminal/table.ts';
import { hasReader, note, print, printJson, toVisible, toVisibleLine } from '../../terminal/terminal.ts';
import { codeOf } from '../../terms/problem.ts';
import { confirm } from '../confirm.ts';
import {
  CommandError,
  FILTER_EXAMPLE,
  filterText,
  type JsonOption,
  jsonObject,
  wholeNumber,
  withJson,
} from '../options.ts';
import { requireDocumentId } from '../service/find-document.ts';
import { requireKnowledgeBase } from '../service/find-knowledge-base.ts';
import { connect, type RemoteOptions, withRemote } from '../service/remote-service.ts';

type Options = RemoteOptions & JsonOption & { kb?: string };

/** An example of attributes, for help and errors. */
export const ATTRIBUTES_EXAMPLE = '{"team":"sales"}';

export const documents = new Command('docs').description(
  'documents: list, show, read, download, change, retry and delete them',
);

/** Adds the options by which the user may name a document by its path or title. */
const withDocument = (command: Command, argument: string): Command =>
  withRemote(withJson(command))
    .argument(argument, 'ids; with --kb also paths of imported files, or titles')
    .option('--kb <name>', 'the knowledge base of the paths or titles: its name or id');

const STATUSES: DocumentStatus[] = ['pending', 'processing', 'processed', 'failed', 'timeout'];

type ListOptions = Options & {
  kb: string;
  status?: DocumentStatus;
  title?: string;
  path?: string;
  filter?: string;
  limit?: number;
};

/** The documents that the options select, newest first. */
async function* listSelected(client: KnowledgeRetrieval, options: ListOptions): AsyncGenerator<Document> {
  const { kb, status, title, path, filter, limit = Number.POSITIVE_INFINITY } = options;
  const { id: knowledgeBaseId } = await requireKnowledgeBase(client, kb);
  const pages = client.listDocuments({
    knowledgeBaseId,
    ...(status && { status }),
    ...(title !== undefined && { titleContains: title }),
    ...(path !== undefined && { externalId: path }),
    ...(filter !== undefined && { filter }),
    ...(limit < 1000 && { limit }), // the longest page
  });
  let count = 0;
  for await (const document of pages) {
    if (!hasReader()) return;
    yield document;
    count += 1;
    if (count >= limit) return;
  }
}

async function* toRows(list: AsyncIterable<Document>) {
  for await (const { id, title, externalId, type, size, status, createdAt, error, warnings = [] } of list)
    yield {
      id,
      status,
      warnings: warnings.length > 0 ? String(warnings.length) : '',
      type,
      size: formatBytes(size),
      created: formatMinute(createdAt),
      name: externalId ?? title,
      reason: error?.message ?? '',
    };
}

withRemote(withJson(documents.command('list')))
  .description('list the documents of a knowledge base, newest first')
  .requiredOption('--kb <name>', 'the knowledge base: its name or id')
  .addOption(new Option('--status <status>', 'only in this status').choices(STATUSES))
  .option('--title <text>', 'only those whose title contains this text')
  .option('--path <path>', 'only those of this file (externalId)')
  .option('--filter <filter>', `only those that match, such as '${FILTER_EXAMPLE}'`, filterText)
  .option('--limit <count>', 'at most so many (default: all)', wholeNumber(1))
  .action(async ({ json, ...options }: ListOptions) => {
    const list = listSelected(await connect(options), options);
    if (!json) {
      if ((await printTable(toRows(list))) === 0) note('There are none.');
      return;
    }
    for await (const document of list) printJson(document);
  });

/** The facts of a document that people read, by their names. */
const toFacts = ({ error, file, languages, attributes, warnings, ...document }: DocumentDetails) => ({
  id: document.id,
  title: document.title,
  path: document.externalId,
  source: document.sourceUrl,
  type: document.type,
  size: formatBytes(document.size),
  status: document.status,
  error: error && `${error.code}: ${error.message}`,
  warnings: warnings?.map(({ message }) => message).join(' '),
  [`${pageUnit(document.type)}s`]: document.pageCount?.toString(),
  passages: document.passageCount?.toString(),
  languages: languages?.map(({ language }) => language).join(', '),
  attributes: attributes && JSON.stringify(attributes),
  created: formatMinute(document.createdAt),
  updated: formatMinute(document.updatedAt),
  sha256: file?.sha256 ?? document.sha256,
});

withDocument(documents.command('show'), '<document>')
  .description('show all that is known about a document')
  .action(async (given: string, { json, kb, ...remote }: Options) => {
    const client = await connect(remote);
    const document = await client.getDocument(await requireDocumentId(client, given, kb));
    if (json) printJson(document);
    else printFacts(toFacts(document));
  });

withDocument(documents.command('text'), '<document>')
  .description('print the text that was read from a document')
  .action(async (given: string, { json, kb, ...remote }: Options) => {
    const client = await connect(remote);
    const documentId = await requireDocumentId(client, given, kb);
    let [offset, length] = [0, 1];
    while (offset < length && hasReader()) {
      const part = await client.getDocumentContent({ documentId, offset });
      if (json) printJson(part);
      else process.stdout.write(process.stdout.isTTY ? toVisible(part.text) : part.text);
      [offset, length] = [part.end, part.length];
    }
    if (!json && process.stdout.isTTY) print('');
  });

/** A file name for this directory: the service takes any text as the name of a file. */
const toFileName = (name: string): string =>
  toVisibleLine(name)
    .replaceAll(/[/\\:]/g, '_')
    .replace(/^\.+/, '_');

/** Writes a new file. @throws a sentence when there is one already */
async function writeNew(path: string, bytes: Uint8Array): Promise<void> {
  await writeFile(path, bytes, { flag: 'wx' }).catch((error) => {
    if (codeOf(error) !== 'EEXIST') throw error;
    throw new CommandError(`${path} exists already: name another file by --output.`);
  });
}

withDocument(documents.command('download'), '<document>')
  .description('download the file of a document as it was uploaded')
  .option('--output <path>', "the file to write, or - for standard output (default: the file's own name)")
  .action(async (given: string, { json, kb, output, ...remote }: Options & { output?: string }) => {
    const client = await connect(remote);
    const id = await requireDocumentId(client, given, kb);
    const file = await client.downloadFile(id);
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (output === '-') {
      process.stdout.write(bytes);
      return;
    }
    const path = output ?? toFileName(file.name);
    await writeNew(path, bytes);
    if (json) printJson({ id, path, size: bytes.length });
    else note(`${path}: ${formatBytes(bytes.length)}`);
  });

/** Finds all documents before anything happens to the first. */
async function requireDocumentIds(client: KnowledgeRetrieval, given: string[], kb: string | undefined) {
  const ids: string[] = [];
  for (const each of given) ids.push(await requireDocumentId(client, each, kb));
  return ids;
}

/** Waits for the end of an import. Returns the report also of one that has failed again. */
async function readAgain(client: KnowledgeRetrieval, documentId: string): Promise<DocumentStatusReport> {
  try {
    return await client.pollDocumentStatus(documentId);
  } catch (error) {
    if (!(error instanceof KnowledgeRetrievalError)) throw error;
    if (error.errorCode !== 'DOCUMENT_FAILED' && error.errorCode !== 'DOCUMENT_TIMED_OUT') throw error;
    return error.data.report;
  }
}

withDocument(documents.command('retry'), '<document...>')
  .description('read files again that could not be read, and wait for the end')
  .option('--no-wait', 'do not wait')
  .action(async (given: string[], { json, kb, wait, ...remote }: Options & { wait: boolean }) => {
    const client = await connect(remote);
    for (const documentId of await requireDocumentIds(client, given, kb)) {
      const retried = await client.retryDocument(documentId);
      const { status, error, warnings = [] } = wait ? await readAgain(client, documentId) : retried;
      const outcome = [error?.message ?? status, ...warnings.map(({ message }) => message)].join(' ');
      if (json) printJson({ ...retried, status, warnings, ...(error && { error }) });
      else print(toVisibleLine(`${retried.externalId ?? retried.title}: ${outcome}`));
      if (status === 'failed' || status === 'timeout') process.exitCode = 1;
    }
  });

type UpdateOptions = Options & { title?: string; attributes?: Attributes; sourceUrl?: string };

withDocument(documents.command('update'), '<document>')
  .description('change the title, the attributes or the address of the original')
  .option('--title <text>', 'the new title')
  .option(
    '--attributes <json>',
    `they replace all it has, such as '${ATTRIBUTES_EXAMPLE}'`,
    jsonObject(ATTRIBUTES_EXAMPLE),
  )
  .option('--source-url <address>', "where readers find the original; '' removes it")
  .action(async (given: string, { json, kb, title, attributes, sourceUrl, ...remote }: UpdateOptions) => {
    const client = await connect(remote);
    const updated = await client.updateDocument({
      documentId: await requireDocumentId(client, given, kb),
      ...(title !== undefined && { title }),
      ...(attributes && { attributes }),
      ...(sourceUrl !== undefined && { sourceUrl }),
    });
    if (json) printJson(updated);
    else print(toVisibleLine(`"${updated.title}" is changed.`));
  });

withDocument(documents.command('delete'), '<document...>')
  .description('delete documents; asks first')
  .option('--yes', 'do not ask')
  .action(async (given: string[], { json, kb, yes, ...remote }: Options & { yes?: boolean }) => {
    const client = await connect(remote);
    const ids = await requireDocumentIds(client, given, kb);
    await confirm(`Delete ${pluralise(ids.length, 'document')}: ${enumerate(given)}?`, yes);
    for (const id of ids) {
      const deleted = await client.deleteDocument(id);
      if (json) printJson(deleted);
    }
    if (!json) print(`${pluralise(ids.length, 'document')} deleted.`);
  });
