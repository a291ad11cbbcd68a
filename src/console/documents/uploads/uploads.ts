/** Files on their way into knowledge bases. They go on while other pages are shown. */
import { computed, type Signal, signal } from '@preact/signals';
import type { Attributes, FileProgress, KnowledgeRetrieval } from '../../../client/index.ts';

/** A file that was chosen. `path`: with its folders, from the chosen one on. */
export type ChosenFile = { file: File; path: string };

/**
 * `queued`: it is stored, and waits for its turn to be read. `document`: once it exists. `error`: why there is no
 * document, or why it could not be read. `unchanged`: the knowledge base has had this content before.
 */
export type UploadState = {
  phase: 'waiting' | 'sending' | 'queued' | 'reading' | 'processed' | 'unchanged' | 'failed' | 'stopped';
  /** The share of the bytes that are sent, while they are. */
  sentShare?: number;
  document?: NonNullable<FileProgress['document']>;
  error?: unknown;
};

/** `externalId`: see `withIds`. */
export type Upload = ChosenFile & { id: number; externalId: string; state: Signal<UploadState> };

export type UploadOptions = {
  knowledgeBaseId: string;
  /** Whether content that the knowledge base has already makes no second document. */
  skipsUnchanged: boolean;
  /** Whether a file replaces the document with its path, as it does for the command `import`. */
  replacesByPath: boolean;
  /** What the documents get; empty: nothing. */
  attributes: Attributes;
};

/** The uploads into one knowledge base. */
export type UploadList = {
  /** The latest last. */
  uploads: Signal<Upload[]>;
  /** How many have ended. Ten thousand end one by one, so each end changes a number instead of counting all. */
  ended: Signal<{ processed: number; failed: number }>;
  stopping: AbortController;
};

/** The lists of this tab, by their knowledge bases. */
const lists = signal<ReadonlyMap<string, UploadList>>(new Map());

export const uploadsInto = (knowledgeBaseId: string): UploadList | undefined =>
  lists.value.get(knowledgeBaseId);

export const runningIn = ({ uploads, ended }: UploadList): number =>
  uploads.value.length - ended.value.processed - ended.value.failed;

/** The uploads that have not ended, and a knowledge base that gets some of them. */
export const running = computed(() => {
  const busy = [...lists.value].map(([id, list]) => ({ id, count: runningIn(list) }));
  const count = busy.reduce((sum, list) => sum + list.count, 0);
  return { count, knowledgeBaseId: busy.find((list) => list.count > 0)?.id };
});

export const isUploading = computed(() => running.value.count > 0);

const ENDED: ReadonlySet<UploadState['phase']> = new Set(['processed', 'unchanged', 'failed', 'stopped']);

/** Whether it has ended by now. A page that asks this is not drawn again when it changes. */
export const hasEnded = ({ state }: Upload): boolean => ENDED.has(state.peek().phase);

/** The longest `externalId`. */
const EXTERNAL_ID_MAX = 256;
/** The largest file that the service takes. */
const FILE_MAX_BYTES = 50 * 2 ** 20;
/** Files that are uploaded at the same time. The client of session.ts would send no more. */
const UPLOADS_AT_ONCE = 8;

let lastId = 0;

/** Changes the state of an upload. A change after its end is ignored. */
function change({ ended }: UploadList, upload: Upload, state: UploadState): void {
  if (hasEnded(upload)) return;
  upload.state.value = state;
  if (!ENDED.has(state.phase)) return;
  const { processed, failed } = ended.value;
  const isGood = state.phase === 'processed' || state.phase === 'unchanged';
  ended.value = isGood ? { processed: processed + 1, failed } : { processed, failed: failed + 1 };
}

/** Whether the browser takes it for sound or a video, which are refused. To some browsers, a .ts is a video too. */
export const isRecording = ({ name, type }: { name: string; type: string }): boolean =>
  /^(?:audio|video)\//.test(type) && !/\.[cm]?ts$/i.test(name);

/** Why the service would refuse the file; undefined: it will not because of its size, its path or its looks. */
function findObstacle({ file, externalId }: Upload, { replacesByPath }: UploadOptions): Error | undefined {
  if (file.size === 0) return new Error('The file is empty.');
  if (isRecording(file))
    return new Error('Sound and videos are not read: upload a transcript, or subtitles (.srt, .vtt).');
  if (file.size > FILE_MAX_BYTES)
    return new Error('The file is larger than 50 MiB. Split it, or remove large pictures.');
  if (!replacesByPath || [...externalId].length <= EXTERNAL_ID_MAX) return undefined;
  return new Error(`Its path has more than ${EXTERNAL_ID_MAX} characters. Choose a folder nearer to it.`);
}

/**
 * The ids by which the command `import` knows the files: their paths below the chosen folder. Where two would be the
 * same, all keep the names of their folders.
 */
export function withIds<Chosen extends { path: string }>(
  files: Chosen[],
): (Chosen & { externalId: string })[] {
  const below = files.map((file) => ({ ...file, externalId: file.path.replace(/^[^/]*\//, '') }));
  const isUnique = new Set(below.map(({ externalId }) => externalId)).size === files.length;
  return isUnique ? below : files.map((file) => ({ ...file, externalId: file.path }));
}

/** The state that the client reports, as the page shows it. */
function toState({ phase, sentBytes, totalBytes, document, error }: FileProgress): UploadState {
  const known = { ...(document && { document }) };
  if (phase === 'queued') return { phase: 'waiting' };
  if (phase === 'uploading')
    return { phase: 'sending', sentShare: totalBytes > 0 ? sentBytes / totalBytes : 0 };
  if (phase === 'importing') return { phase: 'sending', sentShare: 1 };
  if (phase === 'processing')
    return { phase: document?.status === 'pending' ? 'queued' : 'reading', ...known };
  if (phase === 'done') return { phase: document?.unchanged ? 'unchanged' : 'processed', ...known };
  return { phase: error?.errorCode === 'ABORTED' ? 'stopped' : 'failed', error, ...known };
}

function requireList(knowledgeBaseId: string): UploadList {
  const known = lists.value.get(knowledgeBaseId);
  if (known !== undefined) return known;
  const list: UploadList = {
    uploads: signal([]),
    ended: signal({ processed: 0, failed: 0 }),
    stopping: new AbortController(),
  };
  lists.value = new Map([...lists.value, [knowledgeBaseId, list]]);
  return list;
}

/** Begins to upload the files. One that fails does not end the others. @returns when all have ended */
export async function startUploads(
  service: KnowledgeRetrieval,
  files: ChosenFile[],
  options: UploadOptions,
): Promise<void> {
  const { knowledgeBaseId, skipsUnchanged, replacesByPath, attributes } = options;
  const list = requireList(knowledgeBaseId);
  const added = withIds(files).map((chosen) => ({
    ...chosen,
    id: ++lastId,
    state: signal<UploadState>({ phase: 'waiting' }),
  }));
  list.uploads.value = [...list.uploads.value, ...added];
  for (const upload of added) {
    const error = findObstacle(upload, options);
    if (error !== undefined) change(list, upload, { phase: 'failed', error });
  }
  const sent = added.filter((upload) => !hasEnded(upload));
  const sources = sent.map(({ file, externalId }) => ({ file, ...(replacesByPath && { externalId }) }));
  try {
    await service.uploadFilesAndPoll(sources, {
      knowledgeBaseId,
      concurrency: UPLOADS_AT_ONCE,
      ...(skipsUnchanged && { ifUnchanged: 'skip' as const }),
      ...(Object.keys(attributes).length > 0 && { attributes }),
      signal: list.stopping.signal,
      onProgress: ({ index, ...progress }) => {
        const upload = sent[index];
        if (upload !== undefined) change(list, upload, toState(progress));
      },
    });
  } catch (error) {
    // Each file has reported its own error. Those that were still waiting have not.
    for (const upload of sent) change(list, upload, { phase: 'stopped', error });
  }
}

/** Stops all uploads of the list that are under way. Documents that exist already stay. */
export function stopUploads(list: UploadList): void {
  list.stopping.abort();
  list.stopping = new AbortController();
}

/** Stops and forgets everything: the next person who signs in on this tab is somebody else. */
export function forgetUploads(): void {
  for (const list of lists.peek().values()) list.stopping.abort();
  lists.value = new Map();
}

/** Forgets all uploads of a list whose uploads have ended. */
export function clearUploads({ uploads, ended }: UploadList): void {
  uploads.value = [];
  ended.value = { processed: 0, failed: 0 };
}
