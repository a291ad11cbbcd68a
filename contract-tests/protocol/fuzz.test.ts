/** Ten thousand made-up requests to every route: no fault, and no harm to what is there. */
import { testFuzz } from './fuzz-run.ts';

testFuzz(10_000);
