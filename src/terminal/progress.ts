/** Shows the progress of long work: a bar on a terminal, otherwise a line from time to time. */

/** How often the bar moves on a terminal, and a line is written to a log. */
const BAR_INTERVAL_MS = 200;
const LINE_INTERVAL_MS = 15_000;
const BAR_WIDTH = 30;

/** `advance` counts finished work. `end` removes the bar. */
export type Progress = { advance(done: number): void; end(): void };

function describe(label: string, share: number | undefined, seconds: number): string {
  if (share === undefined) return label;
  const left = share > 0 && seconds > 2 ? `, ${Math.ceil((seconds / share) * (1 - share))} s left` : '';
  return `${label}: ${Math.floor(share * 100)} %${left}`;
}

function drawBar(share: number | undefined): string {
  if (share === undefined) return '';
  const filled = Math.round(share * BAR_WIDTH);
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] `;
}

/**
 * Shows the progress towards `total` on standard error; undefined: nobody knows it yet. `label` may change as the work
 * proceeds.
 */
export function showProgress(label: string | (() => string), total: number | undefined): Progress {
  const { stderr } = process;
  const start = performance.now();
  const interval = stderr.isTTY ? BAR_INTERVAL_MS : LINE_INTERVAL_MS;
  let done = 0;
  let shown = start;
  return {
    advance(more) {
      done += more;
      const now = performance.now();
      if (now - shown < interval) return;
      shown = now;
      const share = total === undefined ? undefined : Math.min(1, done / total);
      const shownLabel = typeof label === 'string' ? label : label();
      const text = describe(shownLabel, share, (now - start) / 1000);
      stderr.write(stderr.isTTY ? `\r${drawBar(share)}${text}\u001b[K` : `… ${text}\n`);
    },
    end: () => void (stderr.isTTY && stderr.write('\r\u001b[K')),
  };
}
