/**
 * Finds programs of processes and threads, which are started by their path. They are TypeScript in the checkout,
 * JavaScript in the package.
 */
import { extname, join } from 'node:path';

/**
 * The path of a module in the caller's folder, with the caller's extension.
 * `analysis-worker` → `/…/analysis-worker.ts`
 */
export const siblingModule = ({ dirname, filename }: ImportMeta, name: string): string =>
  join(dirname, name + extname(filename));
