/** The address of a request: from its Host, or from the headers of a trusted proxy. */
import Koa from 'koa';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { originOf } from './origin.ts';
import { createProxyWatch } from './proxy-watch.ts';

/** The origin of a request with these headers, and what the watch has seen. */
async function ask(headers: Record<string, string>, proxy: boolean) {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const { watch, seen } = createProxyWatch(log);
  const app = new Koa({ proxy });
  app.use(watch);
  app.use((context) => {
    context.body = originOf(context);
  });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const own = `http://127.0.0.1:${port}`;
  const answers = [];
  for (let i = 0; i < 2; i++) answers.push(await (await fetch(own, { headers })).text());
  server.close();
  server.closeAllConnections();
  return { origin: answers[0]?.replace(own, 'own'), seen: seen()?.replace(own, 'own'), lines };
}

test.each([
  [{ 'x-forwarded-proto': 'https', 'x-forwarded-host': 'a.example' }, 'https://a.example'],
  [{ 'x-forwarded-proto': 'https, http', 'x-forwarded-host': 'a.example, b' }, 'https://a.example'],
  [
    { 'x-forwarded-host': 'a.example', 'x-forwarded-port': '8443', 'x-forwarded-proto': 'https' },
    'https://a.example:8443',
  ],
  [{ 'x-forwarded-host': 'a.example:443', 'x-forwarded-proto': 'https' }, 'https://a.example'],
  [{ 'x-forwarded-host': 'a.example', 'x-forwarded-prefix': '/knowledge/' }, 'http://a.example/knowledge'],
  [{ forwarded: 'for=192.0.2.1;proto=https;host="a.example:8443", for=b' }, 'https://a.example:8443'],
  [{ forwarded: 'for=192.0.2.1, for=b;proto=https;host="[::1]:8443", for=c;host=d' }, 'https://[::1]:8443'],
  [
    { 'x-forwarded-host': 'a.example', 'x-forwarded-prefix': '/outer, /inner/' },
    'http://a.example/outer/inner',
  ],
])('%o is %s where proxies are trusted, and is told where they are not', async (headers, named) => {
  expect(await ask(headers as Record<string, string>, true)).toEqual({ origin: named, lines: [] });
  const { origin, seen, lines } = await ask(headers as Record<string, string>, false);
  expect([origin, seen]).toEqual(['own', named]);
  expect(lines).toEqual([expect.stringContaining(`set BASE_URL=${named}`)]);
});

test.each([
  { 'x-forwarded-host': 'a b<c>' },
  { 'x-forwarded-proto': 'javascript', 'x-forwarded-host': 'a.example' },
  { 'x-forwarded-host': 'a.example', 'x-forwarded-prefix': '//evil.example' },
  { 'x-forwarded-for': '192.0.2.1' },
  {},
])('%o names no address', async (headers) => {
  for (const proxy of [true, false])
    expect(await ask(headers as Record<string, string>, proxy)).toEqual({ origin: 'own', lines: [] });
});
