/** One data directory has one service. */
import { expect, test } from 'vitest';
import { call, startService, withEmbeddedDirectory } from '../../harness/service/service-process.ts';

test('a second service on the same directory is refused, and the first one keeps running', async () => {
  await withEmbeddedDirectory(async (dataDirectory) => {
    const first = await startService(dataDirectory);
    await expect(startService(dataDirectory)).rejects.toThrow('ended before it answered');
    expect(await call(first, 'getBalance')).toEqual({ balance: 1_000_000_000, creditsPerQuery: 1 });
    await first.stop();
  });
});
