/** Real and hostile files with what must come of them, from beside the repository; not everyone has them. */
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { DocumentStatusReport } from '../../generated/types.gen.ts';

/**
 * A line of the manifest. `outcome`: `text` must be read, `text-or-error` may, `no-text` and `empty` have none,
 * `error` must be refused, `limit` must be refused or survived. `expect` are phrases of the text.
 */
export type SharedDocument = {
  file: string;
  format: string;
  outcome: 'text' | 'text-or-error' | 'no-text' | 'empty' | 'error' | 'limit';
  tier: 'core' | 'extra' | 'legacy';
  category: string;
  expect?: string[];
  min_expect?: number;
  not_expect?: string[];
};

const folder = fileURLToPath(new URL('../../../shared/documents/', import.meta.url));
const manifest = `${folder}manifest.jsonl`;

/** Why a test of them is left out; undefined where they are there. */
export const documentsMissing = existsSync(manifest) ? undefined : `there is no ${manifest}`;

/** The documents of the manifest; none where it is missing. */
export const sharedDocuments: SharedDocument[] = documentsMissing
  ? []
  : readFileSync(manifest, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as SharedDocument);

export const readSharedDocument = (file: string): Promise<Buffer> => readFile(folder + file);

/**
 * Phrases that no reader should find, with what is wrong with them. The older Word and PowerPoint formats are no
 * format of the service.
 */
const MISTAKEN_PHRASES: Record<string, string | undefined> = {
  // The instruction of the field that numbers captions ("SEQ Figure \* ARABIC") is no text of the document.
  'testWORD_various.docx': 'ARABIC 1 This is',
};

/** The phrases that must be found, and how many of them at least. */
export function expectedPhrases({ file, expect = [], min_expect: least = expect.length }: SharedDocument) {
  const phrases = expect.filter((phrase) => phrase !== MISTAKEN_PHRASES[file]);
  return { phrases, least: Math.min(least, phrases.length) };
}

/** Whether nothing of a file has to be found, as it is in an encoding that need not be read: then it may be refused. */
export const isOptional = ({ min_expect: least }: SharedDocument): boolean => least === 0;

/** Whether a document may end so: read, or refused with a reason that is not the service's own fault. */
export function mayEnd(
  { outcome, tier, ...document }: SharedDocument,
  { status, error }: Pick<DocumentStatusReport, 'status' | 'error'>,
): boolean {
  if (status === 'processed') return ['text', 'text-or-error', 'limit'].includes(outcome);
  if (status !== 'failed' || error === undefined || error.code === 'INTERNAL_ERROR') return false;
  return outcome !== 'text' || tier === 'legacy' || isOptional({ outcome, tier, ...document });
}

/** Texts are compared without what differs between extractors: compatibility forms, soft hyphens, white space, case. */
export const comparable = (text: string): string =>
  text.normalize('NFKC').replaceAll('\u00ad', '').replace(/\s+/g, ' ').toLowerCase();
