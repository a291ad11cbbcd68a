/** Bugs in uploads and downloads: in the tickets, and in the answers at their addresses. */
import type { DownloadTicket, UploadTicket } from '../../../generated/types.gen.ts';
import type { Answer } from '../../../src/contract-check/requests/exchange.ts';
import { bug, inData, refusal, success, withHeaders, withStatus } from './bug.ts';

const ticket = (name: string, change: (data: UploadTicket) => unknown) =>
  inData<UploadTicket>(name, 'presignUploadUrl', change);

const download = (name: string, change: (data: DownloadTicket) => unknown) =>
  inData<DownloadTicket>(name, 'presignDownloadUrl', change);

/** A bug in the answer to a request of this method at an upload or download address. */
const atAddress = (
  method: 'PUT' | 'GET',
  name: string,
  at: string,
  change: (answer: Answer) => Answer | Promise<Answer>,
) =>
  bug(
    name,
    [at],
    () =>
      ({ operationId, sent, answer }) =>
        sent.method === method && operationId === undefined ? change(answer) : answer,
  );

const inUpload = (name: string, at: string, change: (answer: Answer) => Answer) =>
  atAddress('PUT', name, at, change);
const inDownload = (name: string, change: (answer: Answer) => Answer) =>
  atAddress('GET', name, 'presignDownloadUrl 200', change);

export const TRANSFER_BUGS = [
  ticket('uploadUrl as a path', (data) => ({ ...data, uploadUrl: new URL(data.uploadUrl).pathname })),
  ticket('an uploadUrl that does not work', (data) => ({ ...data, uploadUrl: `${data.uploadUrl}0` })),
  ticket('upload by POST instead of PUT', (data) => ({ ...data, method: 'POST' })),
  ticket('an expired ticket', (data) => ({ ...data, expiresAt: '2026-01-15T10:30:50.112Z' })),
  ticket('expiresIn instead of expiresAt', ({ expiresAt: _, ...data }) => ({ ...data, expiresIn: 3600 })),
  download('downloadUrl as a path', (data) => ({ ...data, downloadUrl: new URL(data.downloadUrl).pathname })),
  download('a downloadUrl that does not work', (data) => ({ ...data, downloadUrl: `${data.downloadUrl}0` })),
  download('an expired download address', (data) => ({ ...data, expiresAt: '2026-01-15T10:30:50.112Z' })),
  download('the size of another file', (data) => ({ ...data, size: data.size + 1 })),
  download('the hash of another file', (data) => ({ ...data, sha256: '0'.repeat(64) })),
  download('every file is a PDF', (data) => ({ ...data, mimeType: 'application/pdf' })),
  inUpload('an upload of any length is accepted', 'presignUploadUrl 200', (answer) => success(answer, {})),
  inUpload('an upload needs a key', 'presignUploadUrl 200', (answer) => refusal(answer, 401, 'UNAUTHORIZED')),
  inUpload('the answer to an upload has no envelope', 'importFile 200', (answer) => ({
    ...answer,
    text: '"OK"',
  })),
  inDownload('a download needs a key', (answer) => refusal(answer, 401, 'UNAUTHORIZED')),
  inDownload('a download returns the extracted text', ({ text, ...answer }) => ({
    ...answer,
    text: text.toLowerCase(),
  })),
  inDownload('a browser shows a download', (answer) =>
    withHeaders(answer, { 'content-disposition': 'inline' }),
  ),
  inDownload('a download has another type than announced', (answer) =>
    withHeaders(answer, { 'content-type': 'text/html' }),
  ),
  inDownload('a part of a file is taken for the whole', (answer) => withStatus(answer, 200)),
];
