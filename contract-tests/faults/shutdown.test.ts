/** The end of a server under load; shutdown.faults.ts has more of it. */
import { testShutdown } from './shutdown.ts';

testShutdown({ clients: 16, loadMs: 1_000, fileBytes: 4_000_000 });
