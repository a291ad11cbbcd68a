/** A rolling restart behind a load balancer, once. */
import { test } from 'vitest';
import { expectRollingRestarts } from './rolling-restart.ts';

test('two servers restarted one after the other under load, and their database migrated by a newer one: no request fails', async () => {
  await expectRollingRestarts(1);
}, 240_000);
