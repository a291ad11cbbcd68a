/** What Node, Deno and Bun offer and browsers do not: modules of Node, and environment variables. */
import { invalidArgument } from './errors.ts';

/** Node's `process`, which Deno and Bun have too; undefined in browsers, also where a bundler has put one there. */
export const hostProcess = (): typeof process | undefined =>
  globalThis.process?.versions?.node === undefined ? undefined : globalThis.process;

/**
 * Loads a module of Node without an `import` that bundlers for browsers would see, since most of them fail on it.
 * `getBuiltinModule` came with Node 20.16.
 * @throws INVALID_ARGUMENT in browsers
 */
export async function loadBuiltin<Module>(name: string): Promise<Module> {
  const process = hostProcess();
  if (process === undefined)
    throw invalidArgument('file', 'A path can be read in Node, Deno and Bun only; pass a File or a Blob.');
  const found: unknown =
    process.getBuiltinModule?.(name) ?? (await import(/* @vite-ignore */ /* webpackIgnore: true */ name));
  return found as Module; // as its caller names it
}

/** A variable of the environment, without white space around it; undefined: it is empty, or cannot be read here. */
export function readVariable(name: string): string | undefined {
  try {
    return hostProcess()?.env[name]?.trim() || undefined;
  } catch {
    return undefined; // Deno without --allow-env
  }
}
