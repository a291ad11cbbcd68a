/** Bad links for a short time. links.faults.ts is the long form. */
import { testBadLinks } from './bad-links.ts';

testBadLinks({ faultMs: 700, terminations: 2, clients: 8, apart: false });
