/** Checks the successful answers of the operations on the text of a document and its passages. */
import assert from 'node:assert/strict';
import type { DocumentContent, Passage } from '../../../generated/types.gen.ts';
import { dataOf, type PlannedRequest, type RunContext, requestWith } from '../planning/planned-request.ts';
import { readPages } from '../requests/read-pages.ts';
import { uploadBytes, WAIT_SECONDS } from './upload-bytes.ts';

/** Checks the number and the order of the passages, and that each quotes the text at its location. */
function checkPassages({ fixtures: { longText } }: RunContext, passages: Passage[]): void {
  assert.equal(passages.length, longText.document.passageCount, 'the list has `passageCount` passages');
  const characters = [...longText.content];
  passages.forEach(({ content, location }, index) => {
    assert.equal(location.passage, index + 1, 'passages come in the order of their numbers');
    assert.equal(
      content,
      characters.slice(location.start, location.end).join(''),
      'content is the text at location',
    );
  });
}

export function getDocumentContent(context: RunContext): PlannedRequest {
  const { api } = context.caller;
  const { document, content } = context.fixtures.longText;
  const { id: documentId } = document;
  const characters = [...content];
  const [offset, limit] = [100, 500];
  return {
    sent: requestWith(context, 'getDocumentContent', { documentId, offset, limit }),
    async check(answer) {
      const { text, ...part } = dataOf<DocumentContent>(answer);
      const end = offset + limit;
      assert.deepEqual(part, { id: documentId, start: offset, end, length: characters.length });
      assert.equal(text, characters.slice(offset, end).join(''), 'offsets count code points of the text');
      const whole = await api.getDocumentContent({ documentId });
      assert.equal(whole.text, content, 'a short text comes whole');
    },
  };
}

export function listPassages(context: RunContext): PlannedRequest {
  const { api } = context.caller;
  const { id: documentId } = context.fixtures.longText.document;
  const limit = 2;
  return {
    sent: requestWith(context, 'listPassages', { documentId, limit }),
    async check(answer) {
      assert.equal(dataOf<Passage[]>(answer).length, limit, 'the first page of many has `limit` items');
      const pages = await readPages((cursor) => api.listPassages({ documentId, limit, ...cursor }));
      assert.deepEqual(dataOf(answer), pages[0], 'a second request returns the same first page');
      checkPassages(context, pages.flat());
      const whole = await api.listPassages({ documentId });
      assert.deepEqual(whole.data, pages.flat(), 'without limit and cursor a short list comes whole');
      await checkTimes(context);
    },
  };
}

const SUBTITLES = 'WEBVTT\n\n00:12:45.480 --> 00:12:49.000\nThe gauge is read at dawn.\n';

async function checkTimes(context: RunContext): Promise<void> {
  const { api } = context.caller;
  const { fileId } = await uploadBytes(context, Buffer.from(SUBTITLES));
  const { id: documentId } = await api.importFile(fileId);
  await api.getDocumentStatus(documentId, WAIT_SECONDS);
  const { data } = await api.listPassages({ documentId });
  const times = data.map(({ location }) => location.time);
  assert.deepEqual(times, [765.48], 'a passage of subtitles has the time of its first cue, in seconds');
}
