/** The tool that reads a document. */
import { z } from 'zod';
import { readDocumentId } from '../arguments/read-document-id.ts';
import { documentId } from './fields.ts';
import { answer, defineTool } from './tool.ts';

/** Code points of a document that one reading returns: about 7,000 tokens of English. */
const READ_DEFAULT = 20_000;
/** The longest page of getDocumentContent. */
export const READ_MAX = 100_000;

export const readDocument = defineTool({
  name: 'read_document',
  title: 'Read a document',
  description:
    'Returns a range of the text of a document. `start` and `end` of a passage found by search are offsets here.',
  input: z.strictObject({
    documentId,
    offset: z.number().int().min(0).default(0).describe('Code points before the range.'),
    limit: z.number().int().min(1).max(READ_MAX).default(READ_DEFAULT).describe('Code points of the range.'),
  }),
  output: z.object({
    documentId: z.string(),
    text: z.string(),
    start: z.number(),
    end: z.number(),
    length: z.number().describe('Code points of the whole text.'),
  }),
  async run({ documentId: given, ...range }, { client, signal }) {
    const id = readDocumentId(given);
    const { text, start, end, length } = await client.getDocumentContent(
      { documentId: id, ...range },
      { signal },
    );
    const where = `(${start} to ${end} of ${length}${end < length ? `; go on with offset ${end}` : ''})`;
    const isWhole = start === 0 && end === length;
    return answer({ documentId: id, text, start, end, length }, isWhole ? text : `${text}\n\n${where}`);
  },
});
