/** Finds PDF files that end early, and gives them an end. */

/** Buffer's methods, without a copy. */
const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * Whether nothing that ends a PDF follows its last object: `trailer`, `startxref` or `%%EOF` (ISO 32000-2, 7.5.5).
 * Files whose tables are missing or wrong, which pdf.js makes anew, still have one.
 */
export function isCutOff(bytes: Uint8Array): boolean {
  const file = bufferOf(bytes);
  const end = Math.max(file.lastIndexOf('endobj'), file.lastIndexOf('endstream'), 0);
  return !['%%EOF', 'startxref', 'trailer'].some((mark) => file.indexOf(mark, end) >= 0);
}

/** How far before its type the number of the catalog is looked for. */
const CATALOG_MAX = 4096;

/** The file with a trailer that names its catalog, from which pdf.js finds the pages; undefined without a catalog. */
export function withTrailer(bytes: Uint8Array): Uint8Array | undefined {
  const file = bufferOf(bytes);
  const at = file.lastIndexOf('/Catalog');
  const before = at < 0 ? '' : file.toString('latin1', Math.max(0, at - CATALOG_MAX), at);
  const start = before.lastIndexOf(' obj');
  const [, number, generation] =
    /(\d{1,10}) (\d{1,5})$/.exec(before.slice(Math.max(0, start - 16), start)) ?? [];
  if (number === undefined) return undefined;
  return Buffer.concat([
    file,
    Buffer.from(`\nendobj\ntrailer\n<< /Root ${number} ${generation} R >>\n%%EOF\n`),
  ]);
}
