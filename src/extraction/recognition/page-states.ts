/** What became of the pages that recognition was tried on, and what the owner of the file is told about them. */
import type { FileWarning } from '../extracted-file.ts';
import { pageWarning } from '../page-warnings.ts';
import type { RecognisedPage } from './recognised-lines.ts';
import type { Unrecognised } from './recognition.ts';
import { RECOGNITION_MAX_MS, RECOGNITION_PAGE_MAX_MS } from './recognition-limits.ts';

/**
 * `doubtful`: it was recognised badly, or parts of it not at all. `blank`: no text was found. `slow`: it took too long.
 * `late`: the pages before it had taken all the time. `huge`: it has more pixels than are read.
 */
export type RecognitionState = 'read' | 'doubtful' | 'blank' | 'slow' | 'late' | 'huge';

/** Below it, every third word is wrong. */
const DOUBTFUL = 0.7;

export function stateOf(result: RecognisedPage | Unrecognised): RecognitionState {
  if ('overdue' in result) return result.overdue === 'page' ? 'slow' : 'late';
  if (result.lines.length === 0) return 'blank';
  return result.confidence < DOUBTFUL ? 'doubtful' : 'read';
}

/** At most one warning of each kind. `states`: of each page in its order; undefined where nothing was recognised. */
export function recognitionWarnings(states: (RecognitionState | undefined)[]): FileWarning[] {
  const numbers = (wanted: RecognitionState): number[] =>
    states.flatMap((state, i) => (state === wanted ? [i + 1] : []));
  const seconds = Math.round(RECOGNITION_PAGE_MAX_MS / 1000);
  const minutes = Math.round(RECOGNITION_MAX_MS / 60_000);
  return [
    ...pageWarning(
      'TEXT_UNRELIABLE',
      numbers('doubtful'),
      'recognised by OCR with much doubt, so that words may be wrong or missing',
    ),
    ...pageWarning(
      'LIMIT_REACHED',
      numbers('slow'),
      `not recognised by OCR within ${seconds} seconds of a processor`,
    ),
    ...pageWarning(
      'LIMIT_REACHED',
      numbers('late'),
      `not recognised by OCR, because the file took ${minutes} minutes of a processor: split it`,
    ),
    ...pageWarning(
      'LIMIT_REACHED',
      numbers('huge'),
      'not recognised by OCR, because the picture has too many pixels',
    ),
  ];
}
