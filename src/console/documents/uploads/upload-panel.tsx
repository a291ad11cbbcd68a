/** The uploads into one knowledge base, with a bar for each. */
import { useComputed } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { describeError } from '../../describe-error.ts';
import { countOf, describePages, formatBytes, formatCount } from '../../format.ts';
import { announce } from '../../parts/announcements.tsx';
import { addressOf } from '../../routes.ts';
import { failureRemedy } from '../status.tsx';
import {
  clearUploads,
  hasEnded,
  runningIn,
  stopUploads,
  type Upload,
  type UploadList,
  type UploadState,
  uploadsInto,
} from './uploads.ts';

const STEPS: Record<UploadState['phase'], string> = {
  waiting: 'Waiting',
  sending: 'Uploading',
  queued: 'Stored, waiting to be read',
  reading: 'Being read',
  processed: 'Searchable',
  unchanged: 'Stored before',
  failed: 'Failed',
  stopped: 'Stopped',
};

/** The colour of the steps that need no more patience. */
const COLOURS: Partial<Record<UploadState['phase'], string>> = {
  processed: 'good',
  unchanged: 'good',
  failed: 'bad',
};

function stepOf({ phase, document }: UploadState): string {
  if (phase === 'processed' && document?.replaces !== undefined)
    return 'Searchable, replaced the earlier version';
  const pages = phase === 'reading' && document?.recognition && describePages(document.recognition);
  return pages ? `Scan: ${pages}` : STEPS[phase];
}

/**
 * How much of the bar is full: half of it is the way of the bytes. Only of scans the service says how far it has read.
 */
function shareOf({ phase, sentShare = 0, document }: UploadState): number | undefined {
  if (phase === 'failed' || phase === 'stopped') return undefined;
  if (phase === 'sending') return sentShare / 2;
  if (phase === 'queued') return 0.5;
  if (phase === 'reading') {
    const { done = 1, of = 2 } = document?.recognition ?? {};
    return 0.5 + done / Math.max(1, of) / 2;
  }
  return phase === 'waiting' ? 0 : 1;
}

/** Why an upload failed, and what helps. */
function reasonOf({ error, document }: UploadState): string {
  const { message, remedy } = describeError(error);
  return [message, document?.error === undefined ? remedy : failureRemedy(document)]
    .filter(Boolean)
    .join(' ');
}

function Row({ upload }: { upload: Upload }) {
  const state = upload.state.value;
  const { phase, document } = state;
  const share = shareOf(state);
  const colour = COLOURS[phase] ?? '';
  const { warnings = [] } = document ?? {};
  return (
    <li class="upload">
      <span class="one-line" dir="auto">
        {document === undefined ? upload.path : <a href={addressOf.document(document.id)}>{upload.path}</a>}
      </span>
      <span class={`one-line ${colour}`}>
        {stepOf(state)} <span class="muted">{formatBytes(upload.file.size)}</span>
      </span>
      {share === undefined ? (
        <p class="muted" dir="auto">
          {reasonOf(state)}
        </p>
      ) : (
        <progress class={phase === 'reading' ? 'working' : colour} value={share} aria-label={upload.path} />
      )}
      {hasEnded(upload) && warnings.length > 0 && (
        <p class="wait" dir="auto">
          {warnings.map(({ message }) => message).join(' ')}
        </p>
      )}
    </li>
  );
}

/** Rows that are shown, of a folder with thousands of files. */
const [SHOWN, SHOWN_MAX] = [8, 200];

/** The uploads that matter most: those that failed, those under way, those that have ended, those that wait. */
function pick(uploads: Upload[], count: number): Upload[] {
  const [failed, active, ended, waiting]: Upload[][] = [[], [], [], []];
  for (const upload of uploads) {
    const { phase } = upload.state.peek();
    if (phase === 'failed') failed?.push(upload);
    else if (hasEnded(upload)) ended?.push(upload);
    else (phase === 'waiting' ? waiting : active)?.push(upload);
  }
  return [failed, active, ended?.reverse(), waiting].flatMap((group) => group ?? []).slice(0, count);
}

/** How often the panel is drawn while files end: each end would sort all of them. */
const INTERVAL_MS = 400;

/** Draws the panel again and again while uploads go on. Each row follows its own upload by itself. */
function useIntervals(isRunning: boolean): void {
  const [, setCount] = useState(0);
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setCount((count) => count + 1), INTERVAL_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
}

/** What has become of all uploads, for those who do not see the rows. */
const summaryOf = (processed: number, failed: number): string =>
  `${countOf(processed, 'file')} searchable${failed > 0 ? `, ${formatCount(failed)} failed` : ''}`;

/** Says `text` when the uploads have ended. */
function useAnnouncement(isRunning: boolean, text: string): void {
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    if (wasRunning.current && !isRunning) announce(text);
    wasRunning.current = isRunning;
  }, [isRunning]);
}

function Panel({ list }: { list: UploadList }) {
  const [showsAll, setShowsAll] = useState(false);
  const isRunning = useComputed(() => runningIn(list) > 0).value;
  useIntervals(isRunning);
  const { processed, failed } = list.ended.peek();
  useAnnouncement(isRunning, `${summaryOf(processed, failed)}.`);
  const all = list.uploads.value;
  if (all.length === 0) return null;
  const shown = pick(all, showsAll ? SHOWN_MAX : SHOWN);
  const count = all.length - processed - failed;
  return (
    <section class="card uploads" aria-label="Uploads">
      <header class="row">
        <h2>{isRunning ? `Uploading ${countOf(count, 'file')}` : 'Uploads are done'}</h2>
        <p class="muted">{summaryOf(processed, failed)}</p>
        <button type="button" class="quiet" onClick={() => (isRunning ? stopUploads : clearUploads)(list)}>
          {isRunning ? 'Stop' : 'Clear'}
        </button>
      </header>
      <ul>
        {shown.map((upload) => (
          <Row key={upload.id} upload={upload} />
        ))}
      </ul>
      {all.length > shown.length && (
        <p class="muted uploads-more">
          and {formatCount(all.length - shown.length)} more{' '}
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

export function UploadPanel({ knowledgeBaseId }: { knowledgeBaseId: string }) {
  const list = uploadsInto(knowledgeBaseId);
  return list === undefined ? null : <Panel list={list} />;
}
