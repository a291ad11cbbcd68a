/** A download that breaks off because the server is killed goes on at its successor, by the same address. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createCaller } from '../../../src/contract-check/requests/calling.ts';
import { download } from '../../harness/calls/downloading.ts';
import { pathOf } from '../../harness/calls/uploading.ts';
import { startService, withDataDirectory } from '../../harness/service/service-process.ts';

const QUIET = { settings: { LOG_LEVEL: 'fatal' } };

/** Reads until the connection breaks. Returns what has arrived. */
async function readUntilBroken(response: IncomingMessage, onFirst: () => void): Promise<Buffer> {
  const pieces: Buffer[] = [];
  response.once('data', onFirst);
  response.on('data', (piece: Buffer) => pieces.push(piece));
  await new Promise((resolve) => response.once('close', resolve));
  return Buffer.concat(pieces);
}

test('the rest of a file arrives after the server was killed and started again', {
  timeout: 120_000,
}, async () => {
  await withDataDirectory(async (dataDirectory) => {
    const first = await startService(dataDirectory, QUIET);
    const { api } = createCaller(first);
    const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Downloads' });
    const bytes = randomBytes(52_428_800);
    const { id } = await api.uploadFile({ knowledgeBaseId, fileName: 'noise.bin' }, bytes);
    const { downloadUrl } = await api.presignDownloadUrl(id);

    const [response] = await once(get(downloadUrl), 'response');
    response.on('error', () => {}); // the connection breaks
    const begun = await readUntilBroken(response, () => void first.kill());
    expect(begun.length).toBeLessThan(bytes.length);

    const second = await startService(dataDirectory, QUIET);
    const again = { downloadUrl: second.address + pathOf(downloadUrl) };
    const rest = await download(again, {
      range: `bytes=${begun.length}-`,
      'if-range': String(response.headers.etag),
    });
    expect(rest.status).toBe(206);
    const whole = Buffer.concat([begun, rest.bytes]);
    expect(createHash('sha256').update(whole).digest('hex')).toBe(
      createHash('sha256').update(bytes).digest('hex'),
    );
    await second.stop();
  });
});
