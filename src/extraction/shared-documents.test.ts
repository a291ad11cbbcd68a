/** Real and hostile files give what their manifest says. contract-tests sends the same files through the service. */
import { expect, test } from 'vitest';
import {
  comparable,
  documentsMissing,
  expectedPhrases,
  isOptional,
  readSharedDocument,
  type SharedDocument,
  sharedDocuments,
} from '../../contract-tests/harness/documents/shared-documents.ts';
import { extractFile } from './extract.ts';

/** The expected reason where there is no text, by the manifest's outcome. */
const REASONS: Record<string, RegExp> = {
  encrypted: /^FILE_ENCRYPTED$/,
  damaged: /^FILE_CORRUPT$/,
  bomb: /^(?:FILE_TOO_COMPLEX|NO_TEXT_EXTRACTED)$/,
  scan: /^NO_TEXT_EXTRACTED$/,
  empty: /^NO_TEXT_EXTRACTED$/,
  'wrong-extension': /^UNSUPPORTED_FILE_TYPE$/,
};

function checkText({ outcome, not_expect: unwanted = [], ...document }: SharedDocument, text: string): void {
  expect(outcome).toMatch(/^(?:text|text-or-error|limit)$/);
  const { phrases, least } = expectedPhrases({ outcome, ...document });
  const missing = phrases.filter((phrase) => !comparable(text).includes(comparable(phrase)));
  expect(phrases.length - missing.length, `without ${missing.join(' | ')}`).toBeGreaterThanOrEqual(least);
  for (const phrase of unwanted) expect(text).not.toContain(phrase);
}

if (documentsMissing) test.skip(`shared documents: ${documentsMissing}`, () => {});
else
  test.each(sharedDocuments)('$file: $outcome', async (document) => {
    const bytes = await readSharedDocument(document.file);
    const extraction = await extractFile({ fileName: document.file, bytes });
    if ('extracted' in extraction) return checkText(document, extraction.extracted.text);
    if (document.tier === 'legacy') return expect(extraction.failure.code).toBe('UNSUPPORTED_FILE_TYPE');
    if (isOptional(document)) return expect(extraction.failure.code).toBe('UNSUPPORTED_FILE_TYPE');
    expect(document.outcome).not.toBe('text');
    expect(extraction.failure.code).toMatch(REASONS[document.category] ?? 'no reason');
  });
