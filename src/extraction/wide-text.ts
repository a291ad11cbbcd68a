/** Decodes UTF-16 as files of Windows programs have it. */

const decoder = new TextDecoder('utf-16le', { ignoreBOM: true });

/**
 * Bytes → characters, two bytes each; a lone byte at the end is left out. `toString('utf16le')` must not be used: for
 * an odd number of bytes at an odd address Node 24.21 writes one byte beyond its memory, so that the process ends with
 * "double free or corruption". Half of a surrogate pair becomes U+FFFD, which keeps all offsets.
 */
export const wideText = (bytes: Uint8Array): string => decoder.decode(bytes.subarray(0, bytes.length & ~1));
