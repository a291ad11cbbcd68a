/** Looks at all files before the first is sent. */
import { inParallel } from '../../concurrency/in-parallel.ts';
import { CommandError } from '../options.ts';
import { checkFile, type Obstacle } from './check-file.ts';
import { type FindOptions, findFiles, type LocalFile, type Root } from './find-files.ts';

/** Files that are looked at at once. */
const CHECKS_AT_ONCE = 8;

export type FileScan = {
  /** How many files can be sent, and their bytes. */
  count: number;
  totalBytes: number;
  /** The others. */
  refused: { file: LocalFile; obstacle: Obstacle }[];
  /** The files that can be sent: they are searched for again, so that no list of them is in memory. */
  files(): AsyncGenerator<LocalFile>;
};

/** All files of the paths, which the user may have given in several ways. */
async function* findAll(roots: Root[], options: FindOptions): AsyncGenerator<LocalFile> {
  for (const root of roots) yield* findFiles(root, options);
}

/** Returns a function that complains when two files have one id. In one folder there are none. */
function createCollisionCheck(roots: Root[]): (file: LocalFile) => void {
  const paths = new Map<string, string>();
  return ({ path, externalId }) => {
    const other = paths.get(externalId);
    if (other !== undefined && other !== path)
      throw new CommandError(
        `${other} and ${path} would both be "${externalId}". Import the folder above them, or each with a --prefix.`,
      );
    if (roots.length > 1) paths.set(externalId, path);
  };
}

/** @throws a sentence for the user when two files would be the same document */
export async function scanFiles(roots: Root[], options: FindOptions, onFile: () => void): Promise<FileScan> {
  const scan = { count: 0, totalBytes: 0, refused: [] as FileScan['refused'] };
  const checkCollision = createCollisionCheck(roots);
  await inParallel(findAll(roots, options), CHECKS_AT_ONCE, async (file) => {
    checkCollision(file);
    const { sizeBytes, obstacle } = await checkFile(file);
    onFile();
    if (obstacle !== undefined) scan.refused.push({ file, obstacle });
    else {
      scan.count += 1;
      scan.totalBytes += sizeBytes;
    }
  });
  const refusedIds = new Set(scan.refused.map(({ file }) => file.externalId));
  return {
    ...scan,
    async *files() {
      for await (const file of findAll(roots, options)) if (!refusedIds.has(file.externalId)) yield file;
    },
  };
}
