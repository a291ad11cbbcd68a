/** Backup and restore of many documents, and killed at many moments. */
import { test } from 'vitest';
import { expectSameAfterRestore } from './backup.ts';

const KILLS = 30;
/** From the first write on, in steps of which some hundred make a whole backup of so many documents. */
const KILL_STEP_MS = 40;

test('a backup of a thousand documents beside imports and deletions, and after thirty killed tries, answers everything as its moment did', async () => {
  await expectSameAfterRestore({
    texts: 1_000,
    killedAfterMs: Array.from({ length: KILLS }, (_, kill) => kill * KILL_STEP_MS),
  });
});
