/** Uploads many files: several at a time, each with a result of its own. */
import type { Attributes, Document, IfUnchanged } from '../../../generated/types.gen.ts';
import { aborted, invalidArgument, KnowledgeRetrievalError } from '../errors.ts';
import { createSemaphore } from '../requests/semaphore.ts';
import { untilAborted } from '../requests/until-aborted.ts';
import type { CallOptions } from '../settings.ts';
import { labelOf, type NamedFile } from './file-source.ts';
import {
  completeFile,
  type DescribedFile,
  type Finish,
  type Upload,
  type UploadFileRequest,
} from './upload.ts';
import {
  type FileProgress,
  notify,
  trackFile,
  trackTotals,
  type UploadFilesProgress,
} from './upload-progress.ts';

/** A file of `uploadFiles`: one that brings its name, or any file with what `uploadFile` takes beside it. */
export type UploadSource = NamedFile | DescribedFile;

/** Sources, such as an array, the `FileList` of an input, or an async generator that walks a folder. */
export type UploadSources = Iterable<UploadSource> | AsyncIterable<UploadSource>;

export type UploadFilesOptions = CallOptions & {
  /** Where the documents go. */
  knowledgeBaseId: string;
  /** For all files that have none of their own. */
  attributes?: Attributes;
  /** For all files that do not say it themselves. */
  ifUnchanged?: IfUnchanged;
  /** How many files are uploaded at once, from 1. Default and maximum: the `concurrency` of the client. */
  concurrency?: number;
  /** Called whenever the state of a file changes, and at each piece of bytes that is sent. */
  onProgress?: (progress: UploadFilesProgress) => void;
};

/** What became of one file. Without an `error` its `document` is there; with one, it may be. */
export type UploadResult =
  | { fileName: string; document: Document; error?: never }
  | { fileName: string; document?: Document; error: KnowledgeRetrievalError };

function requireSources(sources: unknown): void {
  const isList = typeof sources === 'object' && sources !== null && !ArrayBuffer.isView(sources);
  if (isList && (Symbol.iterator in sources || Symbol.asyncIterator in sources)) return;
  throw invalidArgument('sources', 'sources must be an array of files, or another iterable of them.');
}

function readConcurrency(given: number | undefined, most: number): number {
  if (given === undefined) return most;
  if (Number.isInteger(given) && given >= 1) return Math.min(given, most);
  throw invalidArgument('concurrency', `concurrency must be a whole number from 1, not ${given}.`);
}

/** The number of sources, where it is known before they are read: of arrays, sets and `FileList`. */
function countOf(sources: object): number | undefined {
  const { length, size } = sources as { length?: unknown; size?: unknown }; // if it has them
  return [length, size].find((count) => typeof count === 'number');
}

function toRequest(
  source: UploadSource,
  { knowledgeBaseId, attributes, ifUnchanged }: UploadFilesOptions,
): UploadFileRequest {
  const isDescribed = typeof source === 'object' && source !== null && 'file' in source;
  return {
    ...(attributes !== undefined && { attributes }),
    ...(ifUnchanged !== undefined && { ifUnchanged }),
    ...(isDescribed ? source : { file: source }),
    knowledgeBaseId,
  };
}

/** Async, so that several may ask for the next source at once: they get theirs in order. */
async function* readSources(sources: UploadSources): AsyncGenerator<[number, UploadSource]> {
  let index = 0;
  try {
    for await (const source of sources) yield [index++, source];
  } catch (cause) {
    if (cause instanceof KnowledgeRetrievalError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw invalidArgument('sources', `The sources cannot be read: ${reason}`, cause);
  }
}

function toResult({ fileName, document, error }: FileProgress): UploadResult {
  if (error !== undefined) return { fileName, error, ...(document && { document }) };
  return { fileName, document: document as Document }; // of a file that is done
}

type Uploading = { upload: Upload; finish?: Finish; concurrency: number };

/**
 * Creates the function that uploads a source. `uploaded` ends with its upload, and `result` with the wait for its
 * import. `total`: of all sources; undefined: it is not known yet.
 */
function createStart(
  options: UploadFilesOptions,
  { upload, finish, concurrency }: Uploading,
  total: number | undefined,
) {
  const { signal, onProgress } = options;
  const addUp = trackTotals(total);
  const finishTurns = createSemaphore(concurrency);
  return (index: number, source: UploadSource) => {
    const request = toRequest(source, options);
    const file = trackFile(labelOf(request), (progress) => {
      const totals = addUp(index, progress);
      notify(onProgress, { ...progress, index, totals });
    });
    const uploaded = upload(request, options, onProgress && file.report);
    const ended = completeFile(file.report, async () => {
      const document = await uploaded;
      if (finish === undefined) return document;
      file.report({ phase: 'processing', document });
      return await finishTurns.run(() => finish(document, file.report), signal);
    });
    const toOwnResult = () => toResult(file.state);
    return { uploaded, result: ended.then(toOwnResult, toOwnResult) };
  };
}

/** Uploads the files of a call. `finish`: waits for the end of an import. */
export async function uploadEach(
  sources: UploadSources,
  options: UploadFilesOptions,
  { concurrency: most, ...uploading }: Uploading,
): Promise<UploadResult[]> {
  requireSources(sources);
  const { signal } = options;
  const concurrency = readConcurrency(options.concurrency, most);
  const start = createStart(options, { ...uploading, concurrency }, countOf(sources));
  const results: Promise<UploadResult>[] = [];
  const rest = readSources(sources);
  /** Uploads one source after another until there are no more. */
  const work = async () => {
    for (;;) {
      if (signal?.aborted) throw aborted(signal.reason);
      const next = await untilAborted(rest.next(), signal);
      if (next.done) return;
      const [index, source] = next.value;
      const { uploaded, result } = start(index, source);
      results[index] = result;
      await uploaded.catch(() => {}); // the result has the error
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: concurrency }, work));
  // Lets a generator close what it has open. One that still works on its next source does so after that.
  rest.return(undefined).catch(() => {});
  const ended = await Promise.all(results);
  const isCut = ended.some(({ error }) => error?.errorCode === 'ABORTED');
  if (isCut || signal?.aborted) throw aborted(signal?.reason, ended);
  const stopped = workers.find((worker) => worker.status === 'rejected');
  if (stopped !== undefined) throw stopped.reason;
  return ended;
}
