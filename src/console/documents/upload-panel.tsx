/** The uploads into one knowledge base, with a bar for each. */
import { useState } from 'preact/hooks';
import { describeError } from '../describe-error.ts';
import { countOf, formatBytes, formatCount } from '../format.ts';
import { addressOf } from '../routes.ts';
import { FAILURE_REMEDIES } from './status.tsx';
import {
  clearUploads,
  endedCounts,
  hasEnded,
  runningCount,
  stopUploads,
  type Upload,
  type UploadState,
  uploads,
} from './uploads.ts';

const STEPS: Record<UploadState['phase'], string> = {
  waiting: 'Waiting',
  sending: 'Uploading',
  reading: 'Being read',
  processed: 'Searchable',
  unchanged: 'Stored before',
  failed: 'Failed',
  stopped: 'Stopped',
};

/** How much of the bar is full: half of it is the way of the bytes. The service does not tell how far it has read. */
function shareOf({ phase, sentShare = 0 }: UploadState): number | undefined {
  if (phase === 'failed' || phase === 'stopped') return undefined;
  if (phase === 'sending') return sentShare / 2;
  if (phase === 'reading') return 0.75;
  return phase === 'waiting' ? 0 : 1;
}

/** Why an upload failed, and what helps. */
function reasonOf({ error, document }: UploadState): string {
  const { message, remedy } = describeError(error);
  const code = document?.error?.code;
  return [message, code === undefined ? remedy : FAILURE_REMEDIES[code]].filter(Boolean).join(' ');
}

function Row({ upload }: { upload: Upload }) {
  const state = upload.state.value;
  const { phase, document } = state;
  const share = shareOf(state);
  return (
    <li class={`upload upload-${phase}`}>
      <span class="upload-name" dir="auto">
        {document === undefined ? upload.path : <a href={addressOf.document(document.id)}>{upload.path}</a>}
      </span>
      <span class="upload-step">
        {STEPS[phase]} <span class="muted">{formatBytes(upload.file.size)}</span>
      </span>
      {share === undefined ? (
        <p class="upload-reason" dir="auto">
          {reasonOf(state)}
        </p>
      ) : (
        <progress value={share} aria-label={upload.path} />
      )}
    </li>
  );
}

/** Rows that are shown. A folder may have thousands of files: those that failed or are under way matter most. */
const SHOWN_MAX = 8;

const shownFirst = (upload: Upload): number => {
  const { phase } = upload.state.value;
  if (phase === 'failed') return 0;
  if (phase === 'sending' || phase === 'reading') return 1;
  return hasEnded(upload) ? 2 : 3;
};

function pick(all: Upload[]): Upload[] {
  const ranked = all.map((upload) => [shownFirst(upload), upload] as const);
  return ranked
    .toSorted(([a, first], [b, second]) => a - b || second.id - first.id)
    .map(([, upload]) => upload);
}

export function UploadPanel({ knowledgeBaseId }: { knowledgeBaseId: string }) {
  const [showsAll, setShowsAll] = useState(false);
  const own = uploads.value.filter((upload) => upload.knowledgeBaseId === knowledgeBaseId);
  if (own.length === 0) return null;
  const { processed, failed } = endedCounts.value;
  const running = runningCount.value;
  const shown = pick(own).slice(0, showsAll ? 200 : SHOWN_MAX);
  return (
    <section class="card uploads" aria-label="Uploads">
      <header>
        <h2>{running > 0 ? `Uploading ${countOf(running, 'file')}` : 'Uploads are done'}</h2>
        <p class="muted" role="status">
          {formatCount(processed)} searchable{failed > 0 && `, ${formatCount(failed)} failed`}
        </p>
        {running > 0 ? (
          <button type="button" class="quiet" onClick={stopUploads}>
            Stop
          </button>
        ) : (
          <button type="button" class="quiet" onClick={clearUploads}>
            Clear
          </button>
        )}
      </header>
      <ul>
        {shown.map((upload) => (
          <Row key={upload.id} upload={upload} />
        ))}
      </ul>
      {own.length > shown.length && (
        <p class="muted uploads-more">
          and {formatCount(own.length - shown.length)} more{' '}
          {!showsAll && (
            <button type="button" class="quiet" onClick={() => setShowsAll(true)}>
              Show more
            </button>
          )}
        </p>
      )}
    </section>
  );
}
