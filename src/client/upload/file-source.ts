/** Opens the file to upload: by its path in Node, Deno and Bun, or as a Blob, bytes or a stream anywhere. */
import { aborted, fileUnreadable, invalidArgument, KnowledgeRetrievalError } from '../errors.ts';
import { untilAborted } from '../requests/until-aborted.ts';
import { type OpenedFile, openPath, toPath } from './local-file.ts';

/** The stream of a file that has a path, as of Node's `createReadStream`. */
type FileStream = AsyncIterable<Uint8Array> & { readonly path: string | Uint8Array };

/** A file that brings its name: a path, a `file:` URL, a File, or the stream of a file. */
export type NamedFile = string | URL | File | FileStream;

type NamelessFile =
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

/** Anything without a name of its own needs a `fileName`. */
export type FileSource = (
  | {
      /** A path or `file:` URL (not in browsers), a `File`, or the stream of `createReadStream`. */
      file: NamedFile;
      /** 1 to 256 characters. Default: the file's own name, without folders. */
      fileName?: string;
    }
  | {
      /** A `Blob`, an `ArrayBuffer`, a `Uint8Array` such as a `Buffer`, a web stream, or a stream of Node. */
      file: NamelessFile;
      /** 1 to 256 characters. */
      fileName: string;
    }
) & {
  /**
   * The bytes of a stream, 1 to 52,428,800. Only streams need it: with it a stream is read when it is sent, without it
   * before anything is sent, since the service wants to know the size first. Either way it is in memory meanwhile, so
   * that it can be sent again after a broken connection.
   */
  size?: number;
};

/** The largest file that the service takes (`presignUploadUrl`, `size`): 50 MiB. */
export const FILE_SIZE_MAX = 52_428_800;

const WANTED = 'file must be a path, a file: URL, a File, a Blob, an ArrayBuffer, a Uint8Array or a stream';

const lastPart = (path: string): string => path.replace(/^.*[\\/]/, '');

const isFileStream = (file: object): file is FileStream => 'path' in file && typeof file.path === 'string';

/** The name that the file brings; undefined: none. */
function ownNameOf(file: unknown): string | undefined {
  if (typeof file === 'string') return lastPart(file);
  if (typeof file !== 'object' || file === null) return undefined;
  if (file instanceof URL) return lastPart(file.pathname);
  // Bun's Blobs have the field of a File: a path, or no value.
  if (file instanceof Blob) return 'name' in file && file.name ? lastPart(String(file.name)) : undefined;
  return isFileStream(file) ? lastPart(String(file.path)) : undefined;
}

/** What to call a file that is not open yet, and perhaps none. */
export const labelOf = ({ file, fileName }: { file?: unknown; fileName?: string | undefined }): string =>
  fileName ?? ownNameOf(file) ?? 'a file without a name';

/** The bytes that a buffer or a view of one holds; undefined: it is none. They are copied, since they may change. */
function copyBytes(bytes: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (bytes instanceof ArrayBuffer) return new Uint8Array(bytes.slice(0));
  if (!ArrayBuffer.isView(bytes)) return undefined;
  return new Uint8Array(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

/** The bytes of a file that is not a stream; undefined: it is one, or no file. */
function toBlob(file: unknown): Blob | undefined {
  if (file instanceof Blob) return file;
  const bytes = copyBytes(file);
  return bytes && new Blob([bytes]);
}

/** The pieces of a web stream, whose iterator Safari lacks. */
async function* piecesOf(stream: ReadableStream<unknown>): AsyncGenerator<unknown> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}

/** A stream, its name for errors, and its size where the caller knows it. */
type Stream = { pieces: AsyncIterable<unknown>; fileName: string; size: number | undefined };

const tooLarge = (fileName: string) =>
  invalidArgument('file', `${fileName} is larger than 50 MiB, the most that a file may have.`);

async function collect({ pieces, fileName, size }: Stream, signal: AbortSignal | undefined): Promise<Blob> {
  const read: Uint8Array<ArrayBuffer>[] = [];
  let sizeBytes = 0;
  for await (const piece of pieces) {
    if (signal?.aborted) throw aborted(signal.reason);
    const bytes = copyBytes(piece);
    if (bytes === undefined)
      throw invalidArgument('file', `The stream of ${fileName} must give bytes; it gave a ${typeof piece}.`);
    sizeBytes += bytes.length;
    if (sizeBytes > FILE_SIZE_MAX) throw tooLarge(fileName);
    if (sizeBytes > (size ?? sizeBytes)) break;
    read.push(bytes);
  }
  if (size !== undefined && sizeBytes !== size)
    throw fileUnreadable(fileName, `its stream does not have the ${size} bytes that \`size\` says`);
  return new Blob(read);
}

/**
 * Reads a stream to its end.
 * @throws FILE_UNREADABLE; INVALID_ARGUMENT when it is too large, or gives no bytes; ABORTED
 */
async function readStream(stream: Stream, signal: AbortSignal | undefined): Promise<Blob> {
  return await untilAborted(collect(stream, signal), signal).catch((cause: unknown) => {
    if (cause instanceof KnowledgeRetrievalError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw fileUnreadable(stream.fileName, reason, cause);
  });
}

/** The pieces of a stream; undefined: it is none. */
function toPieces(file: unknown): AsyncIterable<unknown> | undefined {
  if (file instanceof ReadableStream) return piecesOf(file);
  const isIterable = typeof file === 'object' && file !== null && Symbol.asyncIterator in file;
  return isIterable ? (file as AsyncIterable<unknown>) : undefined; // by the symbol
}

const fromBlob = (blob: Blob, fileName: string): OpenedFile => ({
  fileName,
  sizeBytes: blob.size,
  read: async () => blob,
});

/**
 * Opens the file. A stream without a `size` is read now.
 * @throws FILE_UNREADABLE; INVALID_ARGUMENT when `file` is no file, or has no name; ABORTED
 */
export async function openFile(
  { file, fileName: given, size }: FileSource,
  signal?: AbortSignal,
): Promise<OpenedFile> {
  if (typeof file === 'string') return await openPath(file, given);
  if (file instanceof URL) return await openPath(await toPath(file), given);
  const bytes = toBlob(file) ?? toPieces(file);
  if (bytes === undefined) throw invalidArgument('file', `${WANTED}.`);
  const fileName = given ?? ownNameOf(file);
  if (fileName === undefined) throw invalidArgument('fileName', 'A file without a name needs a fileName.');
  if (bytes instanceof Blob) return fromBlob(bytes, fileName);
  const read = () => readStream({ pieces: bytes, fileName, size }, signal);
  return size === undefined ? fromBlob(await read(), fileName) : { fileName, sizeBytes: size, read };
}
