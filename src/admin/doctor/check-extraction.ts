/** Checks whether the service can read files here, by reading a small one of each kind as imports do. */
import type { Config } from '../../config/config.ts';
import { installedLanguages } from '../../extraction/recognition/ocr-languages.ts';
import { createExtractionPool } from '../../extraction/sandbox/extraction-pool.ts';
import { type Problem, reasonOf } from '../../terms/problem.ts';
import { sampleFiles } from './sample-files.ts';

/** Kinds that only OCR reads. */
const PICTURES = ['png'];
/** Files of one account are read in turn. The doctor's files belong to no account. */
const ACCOUNT = 'doctor';

/**
 * Reads the sample files in processes of their own. `program`: for tests, what these run. A process that cannot read
 * its own libraries fails every import of a file, while texts are imported as ever.
 */
export async function checkExtraction(
  { hasOcr }: Pick<Config, 'hasOcr'>,
  program?: string,
): Promise<Problem[]> {
  const languages = hasOcr ? installedLanguages() : [];
  const pool = createExtractionPool({ languages, ...(program !== undefined && { program }) });
  const read = async (kind: string, bytes: Uint8Array): Promise<string | undefined> => {
    try {
      const file = { accountId: ACCOUNT, fileName: `sample.${kind}`, readBytes: async () => bytes };
      const extraction = await pool.extract(file);
      return 'failure' in extraction ? extraction.failure.message : undefined;
    } catch (error) {
      return reasonOf(error);
    }
  };
  try {
    const unread = new Map<string, string>();
    for (const [kind, bytes] of sampleFiles()) {
      if (PICTURES.includes(kind) && languages.length === 0) continue;
      const reason = await read(kind, bytes);
      if (reason !== undefined) unread.set(kind, reason);
    }
    const [first] = unread.values();
    if (first === undefined) return [];
    const problem = `Files cannot be read here (${[...unread.keys()].join(', ')}), so their imports fail: ${first}`;
    const remedy =
      'Install the package again, in a folder that the service may read. Its node_modules may be a link; single ' +
      'packages in it should be none.';
    return [{ problem, remedy }];
  } finally {
    pool.close();
  }
}
