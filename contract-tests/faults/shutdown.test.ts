/** The shutdown of a server under load. shutdown.faults.ts is the long form. */
import { testShutdown } from './shutdown.ts';

testShutdown({ clients: 16, loadMs: 1_000, fileBytes: 4_000_000 });
