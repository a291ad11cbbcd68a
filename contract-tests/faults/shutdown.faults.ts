/** The shutdown of a server under more load than in shutdown.test.ts, and during a larger import. */
import { testShutdown } from './shutdown.ts';

testShutdown({ clients: 100, loadMs: 5_000, fileBytes: 10_000_000 });
