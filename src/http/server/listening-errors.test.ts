/** When a server cannot listen, the error names the setting to change. */
import { expect, test } from 'vitest';
import { explainListening } from './listening-errors.ts';
import { drain, listen } from './server.ts';

const failure = async (address: { host: string; port: number }) => {
  const error = await listen(() => {}, address).then(
    () => new Error('it listens'),
    (thrown: unknown) => thrown,
  );
  return explainListening(error, { ...address, setting: 'PORT' }).message;
};

test('PORT, for a port in use', async () => {
  const { server, address } = await listen(() => {}, { host: '127.0.0.1', port: 0 });
  const port = Number(new URL(address).port);
  expect(await failure({ host: '127.0.0.1', port })).toContain('set another PORT. (listen EADDRINUSE');
  await drain(server, 0);
});

test.each(['192.0.2.1', 'nowhere.invalid', 'no host'])(
  'HOST, for %s, which is no address of this machine',
  async (host) => {
    expect(await failure({ host, port: 0 })).toContain(`HOST (${host}) is no address of this machine`);
  },
);
