/** Finds programs of processes and threads, which are started by their path: TypeScript here, JavaScript in the package. */
import { extname, join } from 'node:path';

/** The path of the module `name`, which has no extension, beside the caller's: `analysis-worker` → `/…/analysis-worker.ts`. */
export const siblingModule = ({ dirname, filename }: ImportMeta, name: string): string =>
  join(dirname, name + extname(filename));
