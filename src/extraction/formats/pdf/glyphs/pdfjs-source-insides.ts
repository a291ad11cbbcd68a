/**
 * The source of pdf.js, as of 6.5, in which a word is replaced as it is loaded: see docs/private-insides.md. Instead:
 * import it as it is; syllables that only `ActualText` names are then wrong, as browsers, LibreOffice, Typst and Word
 * write Hindi, Thai and others. PDFium, which reads that text, has fewer words right, and 4 MB.
 */
import { registerHooks } from 'node:module';

/** Of marked content pdf.js hands over a number, which nothing here needs. The text beside it takes its place. */
const MARK_NUMBER = '.get("MCID")';
const MARK_TEXT = '.get("ActualText")';

/** The half of pdf.js that reads files. It has no types. By default pdf.js would load the file that is not minified. */
export async function loadReader() {
  const reader = import.meta.resolve('pdfjs-dist/legacy/build/pdf.worker.min.mjs');
  const hooks = registerHooks({
    load: (url, context, next) => {
      const loaded = next(url, context);
      if (url !== reader) return loaded;
      const source = Buffer.from(loaded.source as Uint8Array).toString(); // as of a file
      return { ...loaded, source: source.replaceAll(MARK_NUMBER, MARK_TEXT) };
    },
  });
  try {
    return await import(reader);
  } finally {
    hooks.deregister();
  }
}
