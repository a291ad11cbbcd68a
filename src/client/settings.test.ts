/** Where the client gets its settings from when its caller gives none. */
import { afterEach, expect, test, vi } from 'vitest';
import { readConfig } from '../config/config.ts';
import { readSettings } from './settings.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

const KEY_MISSING = 'There is no API key: pass apiKey, or set KNOWLEDGE_API_KEY (not in browsers).';

test('address and key come from the environment unless they are given', () => {
  vi.stubEnv('KNOWLEDGE_URL', ' https://knowledge.example/service/ ');
  vi.stubEnv('KNOWLEDGE_API_KEY', 'kr_environment\n');
  const baseUrl = 'https://knowledge.example/service';
  expect(readSettings({})).toMatchObject({ baseUrl, apiKey: 'kr_environment' });
  const given = { baseUrl: 'http://127.0.0.1:9', apiKey: 'kr_given' };
  expect(readSettings(given)).toMatchObject(given);
});

test('without KNOWLEDGE_URL the address is where the service listens by default', () => {
  vi.stubEnv('KNOWLEDGE_URL', '');
  expect(readSettings({ apiKey: 'kr' }).baseUrl).toBe(`http://127.0.0.1:${readConfig({}).port}`);
});

test('INVALID_ARGUMENT: without a key the message names setting and variable', () => {
  vi.stubEnv('KNOWLEDGE_API_KEY', '');
  expect(() => readSettings({})).toThrow(KEY_MISSING);
});

test('browsers have no environment, and one that may not be read is none', () => {
  vi.stubEnv('KNOWLEDGE_API_KEY', 'kr_environment');
  const forbidden = new Proxy(
    {},
    {
      get() {
        throw new Error('Requires env access'); // as Deno without --allow-env
      },
    },
  );
  for (const process of [
    undefined,
    { env: { KNOWLEDGE_API_KEY: 'kr' } },
    { versions: { node: '24' }, env: forbidden },
  ]) {
    vi.stubGlobal('process', process);
    const read = () => readSettings({});
    try {
      expect(read).toThrow(KEY_MISSING);
    } finally {
      vi.unstubAllGlobals(); // vitest needs it
    }
  }
});
