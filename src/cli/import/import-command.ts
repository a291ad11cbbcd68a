/** The command that imports files and folders. */
import { Command } from 'commander';
import type { Attributes, KnowledgeBase } from '../../../generated/types.gen.ts';
import type { KnowledgeRetrieval } from '../../client/client.ts';
import { enumerate, formatBytes, pluralise } from '../../terminal/formats.ts';
import { showProgress } from '../../terminal/progress.ts';
import { note } from '../../terminal/terminal.ts';
import { confirm } from '../confirm.ts';
import { CommandError, collect, type JsonOption, jsonObject, wholeNumber, withJson } from '../options.ts';
import { findKnowledgeBase } from '../service/find-knowledge-base.ts';
import { connect, type RemoteOptions, withRemote } from '../service/remote-service.ts';
import { createExclusion } from './exclude-pattern.ts';
import { type Root, readRoot } from './find-files.ts';
import { findGone } from './gone-documents.ts';
import { HOW_TO_GO_ON, importAll } from './import-all.ts';
import { createReport, type FileResult, type ImportReport, noteIgnored } from './import-report.ts';
import { findKnownDocuments } from './known-documents.ts';
import { type FileScan, scanFiles } from './scan-files.ts';

type ImportOptions = RemoteOptions &
  JsonOption & {
    kb: string;
    name?: string;
    prefix?: string;
    attributes?: Attributes;
    all?: boolean;
    exclude?: string[];
    delete?: boolean;
    yes?: boolean;
    wait: boolean;
    retry?: boolean;
    dryRun?: boolean;
    concurrency: number;
  };

/** The exit code where only files have failed that had failed before. */
const FAILED_BEFORE_CODE = 3;

/** The client's own default. With fewer, a wait for an import would hold up all other requests. */
const REQUESTS_LEAST = 8;

/** Deletes the documents whose files are gone, after a question. */
async function deleteGone(
  client: KnowledgeRetrieval,
  knowledgeBaseId: string,
  roots: Root[],
  { prefix = '', yes, dryRun, report }: ImportOptions & { report: ImportReport },
): Promise<void> {
  const folders = roots.flatMap((root) => (root.kind === 'folder' ? [root.path] : []));
  const gone = await findGone(client.listDocuments(knowledgeBaseId), { folders, prefix });
  if (gone.length === 0) return;
  const names = enumerate(gone.map(({ externalId }) => externalId));
  if (!dryRun)
    await confirm(`Delete ${pluralise(gone.length, 'document')} whose files are gone: ${names}?`, yes);
  for (const { id, externalId } of gone) {
    if (!dryRun) await client.deleteDocument(id);
    report.add({ file: externalId, outcome: 'deleted', documentId: id });
  }
}

/** @throws a sentence for options that do not fit together */
function checkOptions(roots: Root[], options: ImportOptions): void {
  if (options.name !== undefined && !roots.some(({ kind }) => kind === 'input'))
    throw new CommandError('--name is the name of standard input: it needs the path `-`.');
  if (options.delete && !roots.every(({ kind }) => kind === 'folder'))
    throw new CommandError('--delete needs folders: only in these can a file be gone.');
  if (options.delete && !options.yes && !options.dryRun && !process.stdin.isTTY)
    throw new CommandError(
      '--delete asks before it deletes, and nobody can answer here: add --yes, or --dry-run.',
    );
}

const toRefused = ({ file: { externalId }, obstacle }: FileScan['refused'][number]): FileResult => ({
  file: externalId,
  outcome: obstacle.isHarmless ? 'ignored' : 'failed',
  reason: obstacle.reason,
  ...(obstacle.help !== '' && !obstacle.isHarmless && { help: obstacle.help }),
});

/** Creates the knowledge base that is missing, and says so. Returns undefined if this is a trial. */
async function createMissing(
  client: KnowledgeRetrieval,
  { kb: name, dryRun }: ImportOptions,
): Promise<KnowledgeBase | undefined> {
  note(`There is no knowledge base named "${name}": ${dryRun ? 'it would be' : 'it is'} created.`);
  return dryRun ? undefined : await client.createKnowledgeBase({ name });
}

/** Reads what the paths are. @throws a sentence when one is nothing, or the options do not fit */
async function readRoots(paths: string[], options: ImportOptions): Promise<Root[]> {
  const roots: Root[] = [];
  for (const path of paths) roots.push(await readRoot(path, options.name));
  checkOptions(roots, options);
  return roots;
}

async function lookAt(
  roots: Root[],
  { all = false, prefix = '', exclude = [] }: ImportOptions,
): Promise<FileScan> {
  let count = 0;
  const looking = showProgress(() => `Looking at the files: ${count}`, undefined);
  try {
    return await scanFiles(roots, { all, prefix, isExcluded: createExclusion(exclude) }, () => {
      count += 1;
      looking.advance(1);
    });
  } finally {
    looking.end();
  }
}

/** Tells what will not be sent, and how much will. */
function announce(scan: FileScan, refused: FileResult[]): void {
  noteIgnored(refused);
  note(`${pluralise(scan.count, 'file')}, ${formatBytes(scan.totalBytes)}.`);
}

async function run(paths: string[], options: ImportOptions): Promise<void> {
  const { kb, json = false, dryRun: isTrial = false, wait: waits, concurrency, attributes } = options;
  const { retry: retries = false } = options;
  const client = await connect(options, { concurrency: Math.max(concurrency, REQUESTS_LEAST) });
  const roots = await readRoots(paths, options);
  const found = await findKnowledgeBase(client, kb);
  const scan = await lookAt(roots, options);
  const refused = scan.refused.map(toRefused);
  if (!json) announce(scan, refused);
  const knowledgeBase = found ?? (scan.count > 0 ? await createMissing(client, options) : undefined);
  const report = createReport({ json, isTrial });
  for (const result of refused) report.add(result);
  const findKnown = await findKnownDocuments(client, knowledgeBase, scan.count);
  const knowledgeBaseId = knowledgeBase?.id ?? '';
  const shown = { name: kb, ...knowledgeBase };
  const stopped = await importAll(
    scan,
    { client, findKnown, knowledgeBaseId, attributes, retries, isTrial },
    { report, waits, concurrency, onInterrupt: () => report.conclude(shown, `Interrupted. ${HOW_TO_GO_ON}`) },
  );
  try {
    if (options.delete && stopped === undefined && knowledgeBase !== undefined)
      await deleteGone(client, knowledgeBaseId, roots, { ...options, report });
  } finally {
    report.conclude(shown, stopped);
    if (report.counts.failed > 0 || stopped !== undefined) process.exitCode = 1;
    else if (report.counts.failedBefore > 0) process.exitCode = FAILED_BEFORE_CODE;
  }
}

const ATTRIBUTES_EXAMPLE = '{"team":"sales"}';

export const importCommand = withRemote(
  withJson(new Command('import'), 'print JSON: one line for each file, then a summary'),
)
  .description(
    'import files, folders and addresses, and wait until they can be searched.\nA file that was ' +
      'imported before is replaced ' +
      'if it has changed, and skipped otherwise. An interrupted import goes on when the command is repeated.',
  )
  .argument(
    '<path...>',
    'files, folders with all below them, globs in quotes, addresses, sitemaps (https://….xml), or - for standard input',
  )
  .requiredOption('--kb <name>', 'the knowledge base, by name or id; one that is missing is created')
  .option('--name <file name>', 'of standard input')
  .option(
    '--prefix <text>',
    'precedes the paths of the files in the knowledge base, so that several folders share one: manuals/',
  )
  .option(
    '--attributes <json>',
    `facts about all these files, to filter searches by, such as '${ATTRIBUTES_EXAMPLE}'`,
    jsonObject(ATTRIBUTES_EXAMPLE),
  )
  .option('--all', 'also hidden files and folders, and node_modules')
  .option(
    '--exclude <pattern>',
    "leave out files and folders, as .gitignore does: '*.log', drafts/; may be repeated",
    collect,
  )
  .option('--delete', 'delete documents whose files are gone from these folders; asks first')
  .option('--yes', 'do not ask')
  .option('--no-wait', 'do not wait until the files are read')
  .option('--retry', 'try files again that have failed before, although they have not changed')
  .option('--dry-run', 'show what would happen, and send nothing')
  .option('--concurrency <count>', 'files that are sent at once, 1 to 64', wholeNumber(1, 64), 8)
  .addHelpText(
    'after',
    '\nThe exit code is 1 if a file has failed, and 3 if only files have that had failed before. These are not\n' +
      'tried again until they have changed, unless the cause was the service. Empty files in folders, ' +
      'and those of types that\n' +
      'the service does not read, are ignored: they are named, and are no failure.',
  )
  .action(run);
