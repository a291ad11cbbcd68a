/** The long form of fuzz.test.ts. */
import { testFuzz } from './fuzz-run.ts';

testFuzz(100_000);
