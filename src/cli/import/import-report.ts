/** What an import tells: of each file, and in the end. */
import type { DocumentErrorCode, DocumentWarning } from '../../../generated/types.gen.ts';
import { KnowledgeRetrievalError } from '../../client/errors.ts';
import { pluralise } from '../../terminal/formats.ts';
import { indent } from '../../terminal/highlighted-text.ts';
import { note, print, printJson, terminalColumns, toVisibleLine } from '../../terminal/terminal.ts';
import { explainError } from '../explain-error.ts';

/** In the order of the summary. */
const OUTCOMES = [
  'imported',
  'updated',
  'retried',
  'unchanged',
  'sent',
  'deleted',
  'ignored',
  'failedBefore',
  'failed',
] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** What became of one file. `file`: its `externalId`. */
export type FileResult = {
  file: string;
  outcome: Outcome;
  documentId?: string;
  /** What was not read of it. */
  warnings?: DocumentWarning[];
  /** Why it has failed, or was ignored. */
  reason?: string;
  /** What the user can do about it. */
  help?: string;
};

/** What helps where the service cannot read a file. */
const HELP: Record<DocumentErrorCode, string> = {
  UNSUPPORTED_FILE_TYPE: '', // the reason says it
  FILE_CORRUPT: 'Open it in its program, and save it anew.',
  FILE_ENCRYPTED: 'Save it without a password.',
  NO_TEXT_EXTRACTED: '', // only pages may be scans: SCAN_HELP
  FILE_TOO_COMPLEX: 'Split it into several files.',
  PROCESSING_TIMEOUT: 'Run the command again when the service has less to do, or split the file.',
  INTERNAL_ERROR: 'Run the command again; if it fails again, tell the operator.',
  // The reasons of addresses say what to do.
  URL_NOT_ALLOWED: '',
  URL_NOT_FOUND: '',
  URL_REFUSED: '',
  URL_UNREACHABLE: '',
  FILE_TOO_LARGE: '',
  STORAGE_LIMIT_EXCEEDED: '',
};

const SCAN_HELP = 'If its pages are scans, scan them again with 300 dots per inch.';

/** Why a file has failed, what was not read of it before, and what helps. */
export function describeFailure(error: Error): Pick<FileResult, 'reason' | 'warnings' | 'help'> {
  const isOfDocument =
    error instanceof KnowledgeRetrievalError &&
    (error.errorCode === 'DOCUMENT_FAILED' || error.errorCode === 'DOCUMENT_TIMED_OUT');
  if (!isOfDocument) return { reason: explainError(error) };
  const { error: cause, warnings = [], pageCount } = error.data.report;
  if (cause === undefined) return { reason: error.message, help: HELP.PROCESSING_TIMEOUT };
  const isScan = cause.code === 'NO_TEXT_EXTRACTED' && pageCount !== undefined;
  const help = isScan ? SCAN_HELP : HELP[cause.code];
  return { reason: cause.message, ...(warnings.length > 0 && { warnings }), ...(help && { help }) };
}

/** Files that a list names for people; `--json` names all. */
const SHOWN_MAX = 20;

/** A trial does not list these: `noteIgnored` has named the ignored ones. */
const UNLISTED = new Set<Outcome>(['unchanged', 'ignored']);

/** What a trial only would do: `would be imported`. */
const PREVENTED = new Set<Outcome>(['imported', 'updated', 'sent', 'deleted']);

function describeOutcome(outcome: Outcome, isTrial: boolean): string {
  if (outcome === 'failedBefore') return 'failed before';
  if (outcome === 'retried') return 'would be tried again'; // only in a trial
  return isTrial && PREVENTED.has(outcome) ? `would be ${outcome}` : outcome;
}

const isFailed = ({ outcome }: FileResult): boolean => outcome === 'failed';

/** Writes a list of files, each with what there is to say. `toOutcome`: also what has happened. */
function writeList(
  results: FileResult[],
  write: (line: string) => void,
  toOutcome?: (outcome: Outcome) => string,
): void {
  for (const { file, outcome, reason, help, warnings = [] } of results.slice(0, SHOWN_MAX)) {
    const missing = warnings.map(({ message }) => message);
    const why = [reason, ...missing, help && `→ ${help}`].filter((text) => text !== undefined).join(' ');
    write(`  ${toOutcome ? `${toOutcome(outcome)}: ` : ''}${toVisibleLine(file)}`);
    if (why !== '') write(indent(toVisibleLine(why), '      ', terminalColumns()));
  }
  if (results.length > SHOWN_MAX) write(`  … and ${results.length - SHOWN_MAX} more; --json names all`);
}

/** Names the files that are ignored, before any other is sent. The failed ones are named in the end. */
export function noteIgnored(refused: FileResult[]): void {
  const ignored = refused.filter(({ outcome }) => outcome === 'ignored');
  if (ignored.length === 0) return;
  note(`${pluralise(ignored.length, 'file')} will not be sent:`);
  writeList(ignored, note);
}

type Lists = Record<'failed' | 'failedBefore' | 'noted', FileResult[]>;

function writeLists({ failed, failedBefore, noted }: Lists, toOutcome: (outcome: Outcome) => string): void {
  writeList(noted, print, toOutcome);
  if (failedBefore.length > 0) {
    const files = pluralise(failedBefore.length, 'file');
    print(`${files} failed before, and nothing has changed since (--retry tries again):`);
  }
  writeList(failedBefore, print);
  if (failed.length > 0) print(`${pluralise(failed.length, 'file')} failed:`);
  writeList(failed, print);
}

export type ImportReport = ReturnType<typeof createReport>;

/** Collects what became of the files. With `json`, prints each at once. */
export function createReport({ json, isTrial }: { json: boolean; isTrial: boolean }) {
  const startMs = performance.now();
  const toOutcome = (outcome: Outcome) => describeOutcome(outcome, isTrial);
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>; // of all
  /** `noted`: others of which people read more than their number. */
  const lists: Lists = { failed: [], failedBefore: [], noted: [] };
  return {
    counts,
    add(result: FileResult): void {
      counts[result.outcome] += 1;
      if (json) printJson(result);
      else if (isFailed(result)) lists.failed.push(result);
      else if (result.outcome === 'failedBefore') lists.failedBefore.push(result);
      else if (result.warnings !== undefined || (isTrial && !UNLISTED.has(result.outcome)))
        lists.noted.push(result);
    },
    /** Prints the lists and the numbers. `stopped`: why not all files were tried. */
    conclude(knowledgeBase: { id?: string; name: string }, stopped?: string): void {
      const seconds = Math.round((performance.now() - startMs) / 100) / 10;
      if (json) {
        const { id: knowledgeBaseId, name } = knowledgeBase;
        printJson({ summary: { knowledgeBaseId, name, ...counts, seconds, ...(stopped && { stopped }) } });
        return;
      }
      writeLists(lists, toOutcome);
      if (stopped) note(stopped);
      const numbers = OUTCOMES.filter((outcome) => counts[outcome] > 0).map(
        (outcome) => `${counts[outcome]} ${toOutcome(outcome)}`,
      );
      const name = toVisibleLine(knowledgeBase.name) + (isTrial ? ' (--dry-run: nothing was sent)' : '');
      print(`${name}: ${numbers.join(', ') || (stopped ? 'none imported' : 'no files')}, ${seconds} s.`);
    },
  };
}
