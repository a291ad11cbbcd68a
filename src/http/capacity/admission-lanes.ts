/**
 * The lanes in which requests wait for a permit; load-shedding.ts has their bounds. Look-ups need no connection each,
 * so they have permits of their own.
 */

export type LaneName = 'imports' | 'lookUps' | 'others';

/** The operations that import a document, from its ticket to the end of its import. */
const IMPORT_PATHS: ReadonlySet<string> = new Set([
  '/v1/presignUploadUrl',
  '/v1/importFile',
  '/v1/uploadFile',
  '/v1/importUrl',
  '/v1/importTextContent',
  '/v1/getDocumentStatus',
]);

/** The operations that only look up a row, by a statement that they share with each other. */
const LOOK_UP_PATHS: ReadonlySet<string> = new Set(['/v1/getBalance']);

export function laneOf(path: string): LaneName {
  if (IMPORT_PATHS.has(path)) return 'imports';
  return LOOK_UP_PATHS.has(path) ? 'lookUps' : 'others';
}
