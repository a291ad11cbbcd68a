/** Collects what of an Office file is not read, and says so to its owner. */
import type { FileWarning } from '../../extracted-file.ts';

export type UnreadParts = {
  /** An embedded object of this program (`Excel.Sheet.12`), in a place like `slide 4`, '' where places have no name. */
  object(program: string, place?: string): void;
  /** A document inside the file that cannot be read. */
  inserted(name: string): void;
  /** Text that the file hides. */
  hidden(): void;
  warnings(): FileWarning[];
};

/** A warning names this many parts. */
const NAMED_MAX = 5;
const NAME_MAX_LENGTH = 80;

export function unreadParts(): UnreadParts {
  const objects: string[] = [];
  const inserted: string[] = [];
  let hidden = 0;
  return {
    object(program, place = '') {
      objects.push(place === '' ? programName(program) : `${place} (${programName(program)})`);
    },
    inserted: (name) => inserted.push(name.slice(0, NAME_MAX_LENGTH)),
    hidden() {
      hidden++;
    },
    warnings: () => [
      ...counted(objects, 'embedded object'),
      ...counted(inserted, 'inserted document'),
      ...(hidden > 0 ? [notRead('Hidden text was left out.')] : []),
    ],
  };
}

const notRead = (message: string): FileWarning => ({ code: 'PARTS_NOT_READ', message });

function counted(names: readonly string[], kind: string): FileWarning[] {
  if (names.length === 0) return [];
  const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : '';
  const verb = names.length === 1 ? `${kind} was` : `${kind}s were`;
  return [notRead(`${names.length} ${verb} not read: ${names.slice(0, NAMED_MAX).join(', ')}${more}.`)];
}

const PROGRAMS: [id: RegExp, name: string][] = [
  [/^Excel/i, 'an Excel workbook'],
  [/^Word/i, 'a Word document'],
  [/^PowerPoint/i, 'a presentation'],
  [/^(?:AcroExch|Acrobat|FoxitReader)/i, 'a PDF file'],
  [/^(?:Equation|MathType)/i, 'an equation of an older editor'],
  [/^MSGraph/i, 'a chart of an older program'],
  [/^Visio/i, 'a Visio drawing'],
  [/^Outlook/i, 'a mail'],
  [/^Package/i, 'a file'],
];

function programName(program: string): string {
  const known = PROGRAMS.find(([id]) => id.test(program))?.[1];
  return (
    known ??
    (program.trim() === '' ? 'of an unknown program' : `of ${program.trim().slice(0, NAME_MAX_LENGTH)}`)
  );
}
