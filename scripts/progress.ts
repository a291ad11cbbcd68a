/** Processes long lists and shows the progress: a bar on a terminal, otherwise a line from time to time. */

/** How often the bar moves on a terminal, and a line is written to a log. */
const BAR_INTERVAL_MS = 200;
const LINE_INTERVAL_MS = 15_000;
const BAR_WIDTH = 30;

/** `advance` counts finished work. `end` removes the bar. */
export type Progress = { advance(done: number): void; end(): void };

function describe(label: string, share: number, seconds: number): string {
  const left = share > 0 && seconds > 2 ? `, ${Math.ceil((seconds / share) * (1 - share))} s left` : '';
  return `${label}: ${Math.floor(share * 100)} %${left}`;
}

function drawBar(share: number): string {
  const filled = Math.round(share * BAR_WIDTH);
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}]`;
}

/** Shows the progress towards `total` on standard error. */
export function showProgress(label: string, total: number): Progress {
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
      const share = Math.min(1, done / total);
      const text = describe(label, share, (now - start) / 1000);
      stderr.write(stderr.isTTY ? `\r${drawBar(share)} ${text}\u001b[K` : `… ${text}\n`);
    },
    end: () => void (stderr.isTTY && stderr.write('\r\u001b[K')),
  };
}

/** Runs `act` on every element in order, `clients` of them at a time. @throws the first failure */
export async function inParallel<Element>(
  elements: readonly Element[],
  clients: number,
  act: (element: Element, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const client = async () => {
    while (next < elements.length) {
      const index = next++;
      await act(elements[index] as Element, index); // index is within the list
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
}
