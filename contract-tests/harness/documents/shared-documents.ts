/** Real and hostile files with their expected results. They are stored beside the repository, and may be missing. */
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { DocumentStatusReport } from '../../../generated/types.gen.ts';

/**
 * A line of the manifest. `outcome`: `text` must have text, `text-or-error` may, `no-text` and `empty` have none,
 * `error` must be refused, `limit` must be refused or survived. `expect`: phrases of the text.
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

const folder = fileURLToPath(new URL('../../../../shared/documents/', import.meta.url));
const manifest = `${folder}manifest.jsonl`;

/** Why tests of these files are skipped; undefined if the files exist. */
export const documentsMissing = existsSync(manifest) ? undefined : `there is no ${manifest}`;

/** The documents of the manifest; empty where it is missing. */
export const sharedDocuments: SharedDocument[] = documentsMissing
  ? []
  : readFileSync(manifest, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as SharedDocument);

export const readSharedDocument = (file: string): Promise<Buffer> => readFile(folder + file);

/**
 * Phrases that the manifest wrongly expects, each with its error.
 * The service does not support the older Word and PowerPoint formats.
 */
const MISTAKEN_PHRASES: Record<string, string | undefined> = {
  // The instruction of the field that numbers captions ("SEQ Figure \* ARABIC") is not text of the document.
  'testWORD_various.docx': 'ARABIC 1 This is',
  // The cells of a row have bars between them.
  'legacy_sample.doc': 'Blueberry, Strawberry, Cranberry 150',
};

/** The expected phrases, and the minimum number of them to be found. */
export function expectedPhrases({ file, expect = [], min_expect: least = expect.length }: SharedDocument) {
  const phrases = expect.filter((phrase) => phrase !== MISTAKEN_PHRASES[file]);
  return { phrases, least: Math.min(least, phrases.length) };
}

/** Whether no phrase is required: then support of the file's encoding is optional, and the file may be refused. */
export const isOptional = ({ min_expect: least }: SharedDocument): boolean => least === 0;

/** Whether a document may end with this report: processed, or refused for a reason that is no fault of the service. */
export function mayEnd(
  { outcome, tier, ...document }: SharedDocument,
  { status, error }: Pick<DocumentStatusReport, 'status' | 'error'>,
): boolean {
  // OCR reads scans, of which the manifest expects no text.
  if (status === 'processed')
    return ['text', 'text-or-error', 'limit'].includes(outcome) || document.category === 'scan';
  if (status !== 'failed' || error === undefined || error.code === 'INTERNAL_ERROR') return false;
  return outcome !== 'text' || tier === 'legacy' || isOptional({ outcome, tier, ...document });
}

/** Removes differences between extractors: compatibility forms, soft hyphens, white space, case. */
export const comparable = (text: string): string =>
  text.normalize('NFKC').replaceAll('\u00ad', '').replace(/\s+/g, ' ').toLowerCase();
