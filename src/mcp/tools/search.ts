/** The tool that searches. */
import { z } from 'zod';
import type { FilterOrText } from '../../../generated/types.gen.ts';
import { idOf, listAll } from '../arguments/find-knowledge-base.ts';
import { readDocumentId } from '../arguments/read-document-id.ts';
import { attributes, documentId, filter, knowledgeBase } from './fields.ts';
import { selectPassages, TOKENS_DEFAULT, toText } from './passages-for-agents.ts';
import { answer, type Call, defineTool } from './tool.ts';

const input = z.strictObject({
  query: z
    .string()
    .min(1)
    .describe('A question, or words to search for; exact phrases and words that have to occur in "quotes".'),
  knowledgeBaseIds: z
    .array(knowledgeBase)
    .exactOptional()
    .describe('Only in these, by name or id; default: in all.'),
  documentIds: z.array(documentId).exactOptional().describe('Only in these documents.'),
  filter,
  mode: z
    .enum(['words', 'meaning', 'both'])
    .exactOptional()
    .describe('Find by words alone, by nearness in meaning alone, or by both; default: both.'),
  limit: z.number().int().min(1).max(50).default(10).describe('The most passages to return.'),
  maxPerDocument: z
    .number()
    .int()
    .min(1)
    .max(50)
    .exactOptional()
    .describe('The most passages of one document.'),
  minScore: z.number().min(0).max(1).exactOptional().describe('Leave out passages with a lower score.'),
  contextPassages: z
    .number()
    .int()
    .min(0)
    .max(3)
    .default(0)
    .describe('How many neighbouring passages before and after each to add.'),
  maxTokens: z
    .number()
    .int()
    .min(100)
    .max(100_000)
    .default(TOKENS_DEFAULT)
    .describe('About how many tokens the answer may have. The worst passages are left out.'),
});

const foundPassage = z.object({
  documentId: z.string(),
  title: z.string(),
  knowledgeBase: z.string().describe('Its name.'),
  attributes: attributes.optional().describe('Facts about the document.'),
  citation: z.string().describe('Title, page or time, and headings, for people.'),
  uri: z.string().describe('Where people open it: the original, or the passage in the console.'),
  score: z.number(),
  text: z.string(),
  before: z.array(z.string()).optional(),
  after: z.array(z.string()).optional(),
  start: z.number().optional(),
  end: z.number().optional(),
  time: z.number().optional().describe('Seconds from the start of the recording, in subtitles.'),
  recognised: z
    .object({ confidence: z.number() })
    .optional()
    .describe(
      'Where OCR has read the text from a scan, so that words may be wrong: how sure it is, from 0 to 1.',
    ),
  duplicates: z.number().optional().describe('How many other passages with the same text were left out.'),
  guesses: z
    .array(z.object({ word: z.string(), takenFor: z.array(z.string()) }))
    .optional()
    .describe('Words of the query that no text has, and the words of this passage that were taken for them.'),
  nearInMeaning: z
    .array(z.object({ word: z.string(), near: z.string() }))
    .optional()
    .describe('Words of the query, and the words of this passage that are near them in meaning.'),
});

const output = z.object({
  passages: z.array(foundPassage),
  omitted: z.number(),
  phrasesAsWords: z
    .array(z.string())
    .optional()
    .describe('Phrases of the query that no passage has; their words were searched instead.'),
  warnings: z.array(z.string()).optional().describe('Parts of the search that did not run.'),
});

/** The request of the interface for these arguments. */
async function toRequest(
  { maxTokens: _, knowledgeBaseIds, documentIds, filter: given, ...asked }: z.output<typeof input>,
  { client, signal }: Call,
) {
  const named = await listAll(client, signal);
  const request = {
    ...asked,
    distinct: true,
    explain: true,
    highlight: true,
    ...(knowledgeBaseIds && { knowledgeBaseIds: knowledgeBaseIds.map((each) => idOf(each, named)) }),
    ...(documentIds && { documentIds: documentIds.map(readDocumentId) }),
    ...(given && { filter: given as FilterOrText }), // the service checks it, and names what is wrong
  };
  return { request, names: new Map(named.map(({ id, name }) => [id, name])) };
}

export const search = defineTool({
  name: 'search',
  title: 'Search the knowledge bases',
  description:
    'Finds the passages that answer a question: best first, each with its citation. ' +
    'They have its words, or where the ' +
    'service knows meanings, near ones. Ask in the language of the documents. ' +
    'Words in quotes are a phrase that every passage found has: ' +
    '"restart policy" docker.',
  input,
  output,
  async run(args, call) {
    const { client, signal, address } = call;
    const { request, names } = await toRequest(args, call);
    const results = await client.query(request, { signal });
    const { phrasesAsWords } = results;
    const warnings = results.warnings?.map(({ message }) => message);
    const { passages, omitted } = selectPassages(results, args.maxTokens, { address, names });
    const notes = { ...(phrasesAsWords && { phrasesAsWords }), ...(warnings && { warnings }) };
    return answer({ passages, omitted, ...notes }, toText(passages, { omitted, ...notes }));
  },
});
