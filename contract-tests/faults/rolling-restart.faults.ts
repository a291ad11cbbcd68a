/** Rolling restarts behind a load balancer, repeatedly. */
import { test } from 'vitest';
import { expectRollingRestarts } from './rolling-restart.ts';

test('twenty restarts of two servers in turn under load fail no request', async () => {
  await expectRollingRestarts(10);
});
