/** The faults of links.test.ts for longer, with a test for each kind of slowness. */
import { testBadLinks } from './bad-links.ts';

testBadLinks({ faultMs: 8_000, terminations: 30, clients: 16, apart: true });
