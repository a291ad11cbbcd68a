/** Overload and slow clients for a short time. overload.faults.ts is the long form. */
import { testOverload } from './overload.ts';

testOverload({ imports: 200, searchers: 300, loadMs: 3_000, slowClients: 300, untilCut: false });
