/** Collects the text of a file with the files inside it, and says which of those were not read, and why. */
import type { ExtractedText } from '../../../indexing/split/extracted-text.ts';
import type { ExtractedFile, FileWarning, FileWarningCode } from '../../extracted-file.ts';
import { ExtractionError } from '../../extraction-error.ts';
import { joinParts } from './join-parts.ts';

/** A part that was not read. */
type Unread = { name: string; error: ExtractionError };

export type PartsCollector = {
  /** Adds text of the file itself. */
  add(text: ExtractedText, below?: { level: number; title?: string }): void;
  /**
   * Adds what `extract` returns `level` levels deeper, below a heading `title` where it has one.
   * An error of that part becomes a warning, which calls it `name`.
   */
  read(
    part: { name: string; title?: string; level: number },
    extract: () => Promise<ExtractedFile>,
  ): Promise<void>;
  /** @throws the parts' error where neither the file nor any part has text */
  finish(): ExtractedFile;
};

/** `kind`: what a part is called, as in "2 attachments were not read". */
export function collectParts(kind: string): PartsCollector {
  const joiner = joinParts();
  const unread: Unread[] = [];
  const warnings = warningsOfParts();
  let isEmpty = true;
  return {
    add(text, below) {
      joiner.add(text, below);
      isEmpty = false;
    },
    async read({ name, title = '', level }, extract) {
      try {
        const { extracted, warnings: found } = await extract();
        if (!joiner.fits(extracted.text.length)) throw new ExtractionError('FILE_TOO_COMPLEX', BEYOND);
        joiner.add(extracted, { level, title });
        warnings.add(name, found);
        isEmpty = false;
      } catch (error) {
        if (!(error instanceof ExtractionError)) throw error;
        unread.push({ name, error });
      }
    },
    finish() {
      if (isEmpty && unread.length > 0) throw reasonForAll(unread, kind);
      return { extracted: joiner.finish(), warnings: [...warnings.list(), ...unreadWarnings(unread, kind)] };
    },
  };
}

const BEYOND = 'The text would be longer than the service accepts.';

/** The reason why nothing was read: the reason of all parts, where they have the same. */
function reasonForAll(unread: Unread[], kind: string): ExtractionError {
  const [first] = unread;
  const codes = new Set(unread.map(({ error }) => error.code));
  const isCommon = codes.size === 1 && first !== undefined && first.error.code !== 'UNSUPPORTED_FILE_TYPE';
  if (isCommon && unread.length === 1) return first.error;
  const code = isCommon ? first.error.code : 'NO_TEXT_EXTRACTED';
  return new ExtractionError(code, `None of the ${kind}s was read: ${listOf(unread)}.`);
}

function unreadWarnings(unread: Unread[], kind: string): FileWarning[] {
  const isBeyond = ({ error }: Unread) => error.code === 'FILE_TOO_COMPLEX';
  const counted = (parts: Unread[]) =>
    parts.length === 1 ? `One ${kind} was` : `${parts.length} ${kind}s were`;
  const kinds: [FileWarningCode, Unread[], string][] = [
    ['PARTS_NOT_READ', unread.filter((part) => !isBeyond(part)), 'not read'],
    ['LIMIT_REACHED', unread.filter(isBeyond), 'left out'],
  ];
  return kinds.flatMap(([code, parts, outcome]) =>
    parts.length === 0 ? [] : [{ code, message: `${counted(parts)} ${outcome}: ${listOf(parts)}.` }],
  );
}

/** A warning names this many parts. */
const NAMED_MAX = 5;
const NAME_MAX_LENGTH = 120;

/** `plan.png (a PNG picture), old.zip (it needs a password) and 3 more`. */
function listOf(unread: Unread[]): string {
  const named = unread
    .slice(0, NAMED_MAX)
    .map(({ name, error }) => `${printable(name)} (${shortReason(error)})`);
  return named.join(', ') + more(unread.length - named.length);
}

/** A name as a message and a database take it. */
const printable = (name: string): string =>
  name
    .slice(0, NAME_MAX_LENGTH)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();

const more = (count: number): string => (count > 0 ? ` and ${count} more` : '');

function shortReason({ code, format }: ExtractionError): string {
  switch (code) {
    case 'UNSUPPORTED_FILE_TYPE':
      return format ?? 'of a type that is not read';
    case 'FILE_ENCRYPTED':
      return 'it needs a password';
    case 'FILE_CORRUPT':
      return 'damaged';
    case 'NO_TEXT_EXTRACTED':
      return 'without text';
    default:
      return 'beyond the bounds of one file';
  }
}

/** Warnings about parts that were read in part: one for each code, with the names of the parts. */
function warningsOfParts() {
  const byCode = new Map<FileWarningCode, { named: string[]; others: number }>();
  return {
    add(name: string, warnings: FileWarning[]): void {
      for (const { code, message } of warnings) {
        const found = byCode.get(code) ?? { named: [], others: 0 };
        byCode.set(code, found);
        if (found.named.length < NAMED_MAX) found.named.push(`${printable(name)}: ${message}`);
        else found.others++;
      }
    },
    list: (): FileWarning[] =>
      [...byCode].map(([code, { named, others }]) => ({
        code,
        message: named.join(' ') + (others > 0 ? ` The same in ${others} more.` : ''),
      })),
  };
}
