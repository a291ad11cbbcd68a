/** Files on their way into knowledge bases. They go on while other pages are shown. */
import { computed, type Signal, signal } from '@preact/signals';
import { type Document, type KnowledgeRetrieval, KnowledgeRetrievalError } from '../../client/index.ts';

/** A file that was chosen. `path`: with its folders, where a folder was chosen. */
export type ChosenFile = { file: File; path: string };

/**
 * `document`: once it exists. `error`: why there is no document, or why it could not be read. `unchanged`: the knowledge
 * base has had this content before.
 */
export type UploadState = {
  phase: 'waiting' | 'sending' | 'reading' | 'processed' | 'unchanged' | 'failed' | 'stopped';
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

let lastId = 0;
let stopping = new AbortController();

async function run(service: KnowledgeRetrieval, upload: Upload, options: UploadOptions): Promise<void> {
  const { file, path, state } = upload;
  const { signal: stopSignal } = stopping;
  const end = (
    phase: 'processed' | 'unchanged' | 'failed' | 'stopped',
    result: Omit<UploadState, 'phase'>,
  ) => {
    state.value = { phase, ...result };
    const isGood = phase === 'processed' || phase === 'unchanged';
    const { processed, failed } = ended.value;
    ended.value = isGood ? { processed: processed + 1, failed } : { processed, failed: failed + 1 };
  };
  let document: Document | undefined;
  try {
    const request = {
      knowledgeBaseId: options.knowledgeBaseId,
      file,
      ...(options.replacesByPath && { externalId: path.slice(0, 256) }),
      ...(options.skipsUnchanged && { ifUnchanged: 'skip' as const }),
    };
    state.value = { phase: 'sending' };
    document = await service.uploadFile(request, { signal: stopSignal });
    if (document.unchanged) return end('unchanged', { document });
    state.value = { phase: 'reading', document };
    const report = await service.pollDocumentStatus(document.id, { signal: stopSignal });
    end('processed', { document: { ...document, ...report } });
  } catch (error) {
    const isStopped = error instanceof KnowledgeRetrievalError && error.errorCode === 'ABORTED';
    end(isStopped ? 'stopped' : 'failed', { ...(document && { document }), error });
  }
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
  for (const upload of added) void run(service, upload, options);
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
