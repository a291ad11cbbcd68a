/** The end of a server under more load than in shutdown.test.ts, and in the middle of a larger file, three times. */
import { testShutdown } from './shutdown.ts';

for (let round = 0; round < 3; round++) testShutdown({ clients: 100, loadMs: 5_000, fileBytes: 10_000_000 });
