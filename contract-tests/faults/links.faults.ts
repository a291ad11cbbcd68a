/** The faults of links.test.ts for longer, and each way to be slow for itself. */
import { testBadLinks } from './bad-links.ts';

testBadLinks({ faultMs: 8_000, terminations: 30, clients: 16, apart: true });
