/** Bad links for a short time; links.faults.ts holds the same out for longer. */
import { testBadLinks } from './bad-links.ts';

testBadLinks({ faultMs: 700, terminations: 2, clients: 8, apart: false });
