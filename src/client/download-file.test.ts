/** `downloadFile` requests an address, and reads the bytes from there. */
import { expect, test } from 'vitest';
import {
  answer,
  breakOff,
  connectTo,
  errorOf,
  refuse,
  succeed,
  useScriptedServer,
} from './testing/scripted-server.ts';

const server = useScriptedServer();

const ticket = () =>
  succeed({
    fileId: 'f',
    downloadUrl: `${server.address}/downloads/d?signature=s`,
    expiresAt: '2026-01-15T10:06:17.245Z',
    fileName: 'héllo.txt',
    mimeType: 'text/plain',
    size: 6,
  });

test('the bytes come from the address without a key, as a File with name and type', async () => {
  server.script = [ticket(), answer(200, 'héllo')];
  const file = await connectTo(server).downloadFile('d');
  expect([file.name, file.type, await file.text()]).toEqual(['héllo.txt', 'text/plain', 'héllo']);
  const [asked, read] = server.requests;
  expect(asked).toMatchObject({ method: 'GET', path: '/v1/presignDownloadUrl?documentId=d' });
  expect(read).toMatchObject({ method: 'GET', path: '/downloads/d?signature=s' });
  expect(read?.headers).not.toHaveProperty('x-api-key');
});

test('the bytes are read again after a broken connection', async () => {
  const breakInside: typeof breakOff = (response) => {
    response.writeHead(200, { 'content-length': '6' });
    response.write('hé', () => response.destroy());
  };
  server.script = [ticket(), breakOff, breakInside, answer(200, 'héllo')];
  const file = await connectTo(server).downloadFile({ documentId: 'd' });
  expect(await file.text()).toBe('héllo');
});

test('a refusal at either step throws its error', async () => {
  server.script = [refuse(409, 'DOCUMENT_HAS_NO_FILE')];
  expect(await errorOf(connectTo(server).downloadFile('d'))).toMatchObject({
    errorCode: 'DOCUMENT_HAS_NO_FILE',
    status: 409,
  });
  server.script = [ticket(), refuse(410, 'DOWNLOAD_EXPIRED')];
  expect(await errorOf(connectTo(server).downloadFile('d'))).toMatchObject({
    errorCode: 'DOWNLOAD_EXPIRED',
    status: 410,
  });
});
