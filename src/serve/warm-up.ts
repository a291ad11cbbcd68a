/**
 * Compiles the text analysis before the first request needs it. V8 compiles functions when they first run, and regular
 * expressions once more for texts beyond Latin-1.
 */
import { analyseTexts } from '../indexing/analyse-document.ts';

/**
 * One text for each kind of script whose first text is expensive. Processor time of the first text of 700 letters in a
 * new process, in ms:
 *
 *                 English   Russian    Chinese    Arabic
 *   without       18 to 27   8 to 11     5 to 7   11 to 16
 *   after these     2 to 3   0 to 1.5    3 to 6   0 to 2.5
 */
const TEXTS = [
  'The bridge crosses the river near the old town. Its arches were built of limestone in 1843.',
  'Мост пересекает реку недалеко от старого города. Его арки построены из известняка в 1843 году.',
  '这座桥横跨旧城附近的河流。其拱门于1843年用石灰石建造。',
  'يعبر الجسر النهر بالقرب من المدينة القديمة. بنيت أقواسه من الحجر الجيري عام 1843.',
];

/** Analyses the texts, without the database and one in each iteration of the event loop: 50 ms of processor time. */
export async function warmUp(): Promise<void> {
  const texts = TEXTS.map((content) => ({ title: '', content }));
  await analyseTexts(texts, { expected: [], stem: async (_language, tokens) => tokens });
}
