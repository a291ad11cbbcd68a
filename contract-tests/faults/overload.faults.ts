/** The load of overload.test.ts for longer, and a thousand slow clients until the last of them is cut off. */
import { testOverload } from './overload.ts';

testOverload({ imports: 1_000, searchers: 400, loadMs: 20_000, slowClients: 1_000, untilCut: true });
