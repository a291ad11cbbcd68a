/** Finds the files that an import is to send: of folders, globs, single paths, standard input, and addresses. */
import type { Dirent } from 'node:fs';
import { glob, opendir, realpath, stat } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { FILE_SIZE_MAX } from '../../client/upload/file-source.ts';
import { codeOf } from '../../terms/problem.ts';
import { CommandError } from '../options.ts';
import { addressId } from './import-address.ts';
import { findAddresses, type ImportableAddress } from './read-sitemap.ts';

/** A file, or a folder that cannot be read. */
export type LocalFile = {
  /** For people, and to open it. */
  path: string;
  /** Its path in the folder that the user has named, with slashes: the document's `externalId`. */
  externalId: string;
  /** Whether the user has named this file, and not its folder or a glob. */
  isNamed: boolean;
  /** The content of standard input; undefined: it is in the file. */
  bytes?: Buffer<ArrayBuffer>;
  /** The service fetches it from there; undefined: it is on this machine. */
  address?: ImportableAddress;
  /** Why it cannot be read. */
  problem?: string;
};

/** A path that the user has given. `base`: the folder to which the ids of a glob's files are relative. */
export type Root =
  | { kind: 'folder'; path: string }
  | { kind: 'file'; path: string }
  | { kind: 'glob'; pattern: string; base: string }
  | { kind: 'input'; name: string; bytes: Buffer<ArrayBuffer> }
  | { kind: 'addresses'; addresses: ImportableAddress[] };

export type FindOptions = {
  /** Also hidden files and folders, and node_modules. */
  all: boolean;
  /** Precedes each `externalId`. */
  prefix: string;
  /** Whether a file or folder with this path in the folder of the user is left out. */
  isExcluded(path: string): boolean;
};

const GLOB = /[*?[\]{}]/;

/** The folders before the first one with a wildcard: `a/b/*.md` → `a/b` */
function baseOf(pattern: string): string {
  const parts = pattern.split('/');
  const first = parts.findIndex((part) => GLOB.test(part));
  return parts.slice(0, first).join('/') || (pattern.startsWith('/') ? '/' : '.');
}

/** Reads all of standard input, up to a byte more than a file may have. */
async function readInput(): Promise<Buffer<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  for await (const piece of process.stdin) {
    pieces.push(piece);
    sizeBytes += piece.length;
    if (sizeBytes > FILE_SIZE_MAX) break;
  }
  return Buffer.concat(pieces);
}

/**
 * Finds out what a path given by the user is. `-` is standard input, which is called `name`. Sitemaps are read at once.
 * @throws a sentence for the user when there is nothing
 */
export async function readRoot(path: string, name: string | undefined): Promise<Root> {
  if (path === '-') {
    if (name === undefined) throw new CommandError('Standard input (-) needs a name: --name notes.md.');
    return { kind: 'input', name, bytes: await readInput() };
  }
  if (/^https?:/i.test(path)) return { kind: 'addresses', addresses: await findAddresses(path) };
  try {
    const found = await stat(path);
    if (found.isDirectory()) return { kind: 'folder', path };
    if (found.isFile()) return { kind: 'file', path };
    throw new CommandError(`${path} is neither a file nor a folder. Send a pipe to standard input (-).`);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    if (!['ENOENT', 'ENOTDIR'].includes(codeOf(error)))
      throw new CommandError(`${path} cannot be read (${codeOf(error)}).`);
  }
  if (GLOB.test(path)) return { kind: 'glob', pattern: path, base: baseOf(path) };
  throw new CommandError(`There is no file or folder ${path}.`);
}

const isLeftOut = (name: string): boolean => name.startsWith('.') || name === 'node_modules';

const toPosix = (path: string): string => (sep === '/' ? path : path.replaceAll(sep, '/'));

const problemOf = (error: unknown): string =>
  ['EACCES', 'EPERM'].includes(codeOf(error))
    ? 'Permission is denied.'
    : `It cannot be read (${codeOf(error)}).`;

/** The kind of a directory's entry. A link has its target's kind. Undefined: the target does not exist. */
async function kindOf(entry: Dirent, path: string): Promise<'file' | 'folder' | 'other' | undefined> {
  const found = entry.isSymbolicLink() ? await stat(path).catch(() => undefined) : entry;
  if (found === undefined) return undefined;
  if (found.isDirectory()) return 'folder';
  return found.isFile() ? 'file' : 'other';
}

/** A folder on the way down. `above`: the real paths of the folders above it, by which links in a circle are found. */
type Folder = { path: string; idPath: string; above: string[] };

/** The files below a folder. Lists are read piece by piece; a link that leads back up is not followed. */
async function* walk({ path, idPath, above }: Folder, options: FindOptions): AsyncGenerator<LocalFile> {
  const { all, prefix, isExcluded } = options;
  const toFile = (name: string) => ({
    path: join(path, name),
    externalId: `${prefix}${idPath}${name}`,
    isNamed: false,
  });
  try {
    const real = await realpath(path);
    if (above.includes(real)) return;
    for await (const entry of await opendir(path)) {
      if ((!all && isLeftOut(entry.name)) || isExcluded(idPath + entry.name)) continue;
      const file = toFile(entry.name);
      const kind = await kindOf(entry, file.path);
      const below = { path: file.path, idPath: `${idPath}${entry.name}/`, above: [...above, real] };
      if (kind === 'folder') yield* walk(below, options);
      else if (kind === 'file') yield file;
    }
  } catch (error) {
    yield { path, externalId: `${prefix}${idPath}`, isNamed: false, problem: problemOf(error) };
  }
}

/** Whether a path, or a folder above it, is left out. */
const isBelowExcluded = (path: string, isExcluded: FindOptions['isExcluded']): boolean =>
  path.split('/').some((_, index, parts) => isExcluded(parts.slice(0, index + 1).join('/')));

/** The files that a glob matches. A wildcard matches no hidden name; one that the pattern has itself is asked for. */
async function* match(
  pattern: string,
  base: string,
  { all, prefix, isExcluded }: FindOptions,
): AsyncGenerator<LocalFile> {
  const isAsked = (name: string) => all || pattern.split('/').includes(name) || !isLeftOut(name);
  const exclude = (entry: Dirent) => entry.isDirectory() && !isAsked(entry.name);
  for await (const entry of glob(pattern, { withFileTypes: true, exclude })) {
    const path = join(relative('', entry.parentPath), entry.name);
    const idPath = toPosix(relative(resolve(base), resolve(path)));
    if ((await kindOf(entry, path)) !== 'file' || isBelowExcluded(idPath, isExcluded)) continue;
    yield { path, externalId: prefix + idPath, isNamed: false };
  }
}

/** The files of one path that the user has given. */
export async function* findFiles(root: Root, options: FindOptions): AsyncGenerator<LocalFile> {
  const { prefix } = options;
  if (root.kind === 'folder') yield* walk({ path: root.path, idPath: '', above: [] }, options);
  else if (root.kind === 'glob') yield* match(root.pattern, root.base, options);
  else if (root.kind === 'file')
    yield { path: root.path, externalId: prefix + basename(root.path), isNamed: true };
  else if (root.kind === 'addresses')
    for (const address of root.addresses)
      yield { path: address.url, externalId: addressId(address.url, prefix), isNamed: true, address };
  else yield { path: root.name, externalId: prefix + root.name, isNamed: true, bytes: root.bytes };
}
