/** Part `upload`: the time of the largest file's upload, and the server's memory for it. */

import { makeText } from '../../../contract-tests/harness/documents/texts.ts';
import { percentile } from '../../../contract-tests/harness/machine/percentile.ts';
import { readResidentBytes } from '../../../contract-tests/harness/machine/processes.ts';
import {
  call,
  createKnowledgeBase,
  type RunningService,
  withService,
} from '../../../contract-tests/harness/service/service-process.ts';
import type { Report } from '../measuring/figures.ts';

const MEBIBYTE = 1024 ** 2;
/** The contract's largest file. */
const FILE_BYTES = 50 * MEBIBYTE;
const UPLOADS = 5;
/** Interval of memory samples: an upload takes some hundred milliseconds. */
const SAMPLE_MS = 5;

/** Uploads the file once. Returns the seconds, and the server's peak of resident bytes. */
async function upload(service: RunningService, knowledgeBaseId: string, bytes: Buffer<ArrayBuffer>) {
  const ticket = { knowledgeBaseId, fileName: 'report.txt', size: bytes.length };
  const { uploadUrl } = await call<{ uploadUrl: string }>(service, 'presignUploadUrl', ticket);
  let residentBytes = 0;
  const sample = () => {
    residentBytes = Math.max(residentBytes, readResidentBytes(service.pid));
  };
  const sampling = setInterval(sample, SAMPLE_MS);
  const start = performance.now();
  const response = await fetch(uploadUrl, { method: 'PUT', body: bytes });
  const seconds = (performance.now() - start) / 1000;
  sample();
  clearInterval(sampling);
  if (!response.ok) throw new Error(`the upload was answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
  return { seconds, residentBytes };
}

/** Uploads a text of the largest size several times, one upload at a time. */
export async function measureFileUpload(report: Report): Promise<void> {
  report.progress(`${UPLOADS} uploads of ${FILE_BYTES / MEBIBYTE} MiB`);
  const bytes = Buffer.alloc(FILE_BYTES, makeText('english', MEBIBYTE, 1));
  await withService(async (service) => {
    const knowledgeBaseId = await createKnowledgeBase(service, 'uploads');
    const before = readResidentBytes(service.pid);
    const uploads = [];
    for (let i = 0; i < UPLOADS; i++) uploads.push(await upload(service, knowledgeBaseId, bytes));
    const seconds = uploads.map((one) => one.seconds);
    const growth = Math.max(...uploads.map(({ residentBytes }) => residentBytes)) - before;
    report.figure({ name: 'median upload', value: percentile(seconds, 0.5), unit: 's' });
    report.figure({ name: 'slowest upload', value: percentile(seconds, 1), unit: 's' });
    if (before > 0) report.figure({ name: 'memory above idle', value: growth / MEBIBYTE, unit: 'MiB' });
  });
}
