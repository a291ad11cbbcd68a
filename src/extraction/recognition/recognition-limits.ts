/** The limits of OCR, with the reason for each number. */

/** Pixels of a page as it is recognised: A4 at 300 dpi has 8.7 million. Larger ones are made smaller. */
export const RECOGNISED_PIXELS_MAX = 12_000_000;

/**
 * Processor time for the recognition of one page, in all languages that are tried. It takes 2 to 4 s; a newspaper 10.
 */
export const RECOGNITION_PAGE_MAX_MS = 60_000;

/** Processor time for all pages of an upload: a scan of 1,000 pages. */
export const RECOGNITION_MAX_MS = 3_600_000;

/**
 * From one recognised page to the next on a busy machine, on which the process gets a fifth of a processor. It ends a
 * picture whose layout alone takes that long, and the file with it.
 */
export const RECOGNITION_PAGE_MAX_WAIT_MS = 5 * RECOGNITION_PAGE_MAX_MS;

/** From the arrival of the bytes to the result, with recognition. */
export const RECOGNITION_MAX_WAIT_MS = 5 * RECOGNITION_MAX_MS;
