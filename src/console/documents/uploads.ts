/** Files on their way into knowledge bases. They go on while other pages are shown. */
import { computed, type Signal, signal } from '@preact/signals';
import type { Document, FileProgress, KnowledgeRetrieval } from '../../client/index.ts';

/** A file that was chosen. `path`: with its folders, where a folder was chosen. */
export type ChosenFile = { file: File; path: string };

/**
 * `document`: once it exists. `error`: why there is no document, or why it could not be read. `unchanged`: the knowledge
 * base has had this content before.
 */
export type UploadState = {
  phase: 'waiting' | 'sending' | 'reading' | 'processed' | 'unchanged' | 'failed' | 'stopped';
  /** The share of the bytes that are sent, while they are. */
  sentShare?: number;
  document?: Document;
  error?: unknown;
};

export type Upload = ChosenFile & {
  id: number;
  knowledgeBaseId: string;
  state: Signal<UploadState>;
};

export type UploadOptions = {
  knowledgeBaseId: string;
  /** Whether content that the knowledge base has already makes no second document. */
  skipsUnchanged: boolean;
  /** Whether a document with the same path is replaced. */
  replacesByPath: boolean;
};

/** The uploads of this tab, the latest last. */
export const uploads = signal<Upload[]>([]);

const ENDED: ReadonlySet<UploadState['phase']> = new Set(['processed', 'unchanged', 'failed', 'stopped']);
export const hasEnded = ({ state }: Upload): boolean => ENDED.has(state.value.phase);

/** Numbers of the uploads. Ten thousand files end one by one, so each end changes a number instead of counting all. */
const ended = signal({ processed: 0, failed: 0 });
export const endedCounts = computed(() => ended.value);
export const runningCount = computed(() => uploads.value.length - ended.value.processed - ended.value.failed);

/** The longest `externalId`. */
const EXTERNAL_ID_MAX = 256;

let lastId = 0;
let stopping = new AbortController();

/** Changes the state of an upload. A change after its end is ignored. */
function change(upload: Upload, state: UploadState): void {
  if (hasEnded(upload)) return;
  upload.state.value = state;
  if (!ENDED.has(state.phase)) return;
  const { processed, failed } = ended.value;
  const isGood = state.phase === 'processed' || state.phase === 'unchanged';
  ended.value = isGood ? { processed: processed + 1, failed } : { processed, failed: failed + 1 };
}

/** The state that the client reports, as the page shows it. */
function toState({ phase, sentBytes, totalBytes, document, error }: FileProgress): UploadState {
  const known = { ...(document && { document }) };
  if (phase === 'queued') return { phase: 'waiting' };
  if (phase === 'uploading')
    return { phase: 'sending', sentShare: totalBytes > 0 ? sentBytes / totalBytes : 0 };
  if (phase === 'importing') return { phase: 'sending', sentShare: 1 };
  if (phase === 'processing') return { phase: 'reading', ...known };
  if (phase === 'done') return { phase: document?.unchanged ? 'unchanged' : 'processed', ...known };
  return { phase: error?.errorCode === 'ABORTED' ? 'stopped' : 'failed', error, ...known };
}

/** Begins to upload the files. One that fails does not end the others. */
export function startUploads(service: KnowledgeRetrieval, files: ChosenFile[], options: UploadOptions): void {
  const added = files.map((chosen) => ({
    ...chosen,
    id: ++lastId,
    knowledgeBaseId: options.knowledgeBaseId,
    state: signal<UploadState>({ phase: 'waiting' }),
  }));
  uploads.value = [...uploads.value, ...added];
  const sources = added.map(({ file, path }) => ({
    file,
    ...(options.replacesByPath && { externalId: path.slice(0, EXTERNAL_ID_MAX) }),
  }));
  service
    .uploadFilesAndPoll(sources, {
      knowledgeBaseId: options.knowledgeBaseId,
      ...(options.skipsUnchanged && { ifUnchanged: 'skip' as const }),
      signal: stopping.signal,
      onProgress: ({ index, ...progress }) => {
        const upload = added[index];
        if (upload !== undefined) change(upload, toState(progress));
      },
    })
    // Each file has reported its own error. Those that were still waiting have not.
    .catch((error) => {
      for (const upload of added) change(upload, { phase: 'stopped', error });
    });
}

/** Stops all uploads that are under way. Documents that exist already stay. */
export function stopUploads(): void {
  stopping.abort();
  stopping = new AbortController();
}

/** Forgets all uploads that have ended. */
export function clearUploads(): void {
  uploads.value = uploads.value.filter((upload) => !hasEnded(upload));
  ended.value = { processed: 0, failed: 0 };
}
