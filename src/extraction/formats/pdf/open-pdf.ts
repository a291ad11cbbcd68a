/** Opens PDF files with pdf.js (Apache-2.0), which Firefox also uses. */
import { fileURLToPath } from 'node:url';
import {
  getDocument,
  PasswordException,
  type PDFDocumentProxy,
  VerbosityLevel,
} from 'pdfjs-dist/legacy/build/pdf.min.mjs';
import { damaged, encrypted } from '../../extraction-error.ts';
import { PICTURE_PIXELS_MAX } from '../../extraction-limits.ts';
import { isCutOff, withTrailer } from './cut-off.ts';
import { DirectInflate } from './direct-inflate.ts';
import { startReader, withUnusedFonts } from './glyphs/pdfjs-insides.ts';

// In a damaged file pdf.js also rejects promises that nothing awaits. Unhandled, they would end the process.
process.on('unhandledRejection', () => {});

Object.assign(globalThis, { DecompressionStream: DirectInflate });

/**
 * `keepsPictures`: decodes them. `onHugePicture`: hears of one that is larger than is decoded, and ends its page there.
 */
type Reading = { keepsPictures?: boolean; onHugePicture?: () => void };

/**
 * Opens a file, also one that ends early.
 * @throws FILE_ENCRYPTED when it needs a password (an empty one is tried), FILE_CORRUPT
 */
export async function openPdf(bytes: Uint8Array, reading: Reading = {}): Promise<PDFDocumentProxy> {
  try {
    return await load(bytes, reading);
  } catch (error) {
    if (error instanceof PasswordException) throw encrypted();
    const mended = isCutOff(bytes) ? withTrailer(bytes) : undefined;
    if (mended) return await load(mended, reading).catch(() => Promise.reject(unreadable()));
    throw unreadable();
  }
}

const unreadable = () => damaged('it cannot be read as a PDF');

async function load(
  bytes: Uint8Array,
  { keepsPictures = false, onHugePicture }: Reading,
): Promise<PDFDocumentProxy> {
  const data = folderOf('pdfjs-dist/package.json');
  const loading = getDocument({
    data: new Uint8Array(bytes),
    worker: await startReader(keepsPictures, onHugePicture ?? (() => {})),
    // Character maps of East Asian fonts that are not embedded, and widths of the standard fonts.
    cMapUrl: `${data}cmaps/`,
    cMapPacked: true,
    standardFontDataUrl: `${data}standard_fonts/`,
    useWorkerFetch: false,
    useSystemFonts: false,
    ...withUnusedFonts(),
    // Decoders of JPEG 2000 and JBIG2.
    wasmUrl: `${data}wasm/`,
    // Without `keepsPictures` each is larger.
    maxImageSize: keepsPictures ? PICTURE_PIXELS_MAX : 0,
    stopAtErrors: onHugePicture !== undefined,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    verbosity: VerbosityLevel.ERRORS,
  });
  try {
    return await loading.promise;
  } catch (error) {
    await loading.destroy();
    throw error;
  }
}

function folderOf(file: string): string {
  return fileURLToPath(new URL('.', import.meta.resolve(file)));
}
