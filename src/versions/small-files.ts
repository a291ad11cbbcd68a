/** Which files are imported together with others of their account. */
import { isPlainByName } from '../extraction/detect-type.ts';

/**
 * Bytes of a small file. Sixteen of them are published in one transaction, which then takes as long as the transaction
 * of a middle file.
 */
const SMALL_FILE_BYTES = 16_384;

/** Whether a worker may import the file together with others: by what is known before it is read. */
export const isSmallFile = ({ fileName, sizeBytes }: { fileName: string; sizeBytes: number }): boolean =>
  sizeBytes <= SMALL_FILE_BYTES && isPlainByName(fileName);
