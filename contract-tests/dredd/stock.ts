/** What a run works on: two knowledge bases with texts, made at its beginning and deleted at its end. */
import type { Document } from '../../generated/types.gen.ts';
import { type Caller, createCaller } from '../harness/calling.ts';
import type { Target } from './target.ts';

type Text = { title: string; content: string };

/** Five texts that the spec's example query finds, in an order of its own, and one that it does not find. */
const TEXTS: Text[] = [
  { title: 'Release notes 2.4', content: 'The container of version 2.4 keeps its restart policy.' },
  {
    title: 'Restarts',
    content: 'A container restarts by itself when it has stopped with an error and its policy is on-failure.',
  },
  { title: 'Logs', content: 'The log of a container keeps the reason of its last stop.' },
  {
    title: 'Upgrades',
    content: 'An operator restarts the service by hand: después, así — naïve café 知识 😀.',
  },
  { title: 'Volumes', content: 'A volume outlives its container.' },
  { title: 'Canteen', content: 'Lunch is served at noon.' },
];

/** The title of the text that answers the spec's example query best, and of the one that it does not find. */
export const BEST_TITLE = 'Restarts';
export const UNRELATED_TITLE = 'Canteen';

/** Every passage of the long text answers this. */
export const LONG_TEXT_QUERY = 'pressure gauge';

/** Long enough for more passages than a query gives by itself. */
const CHAPTERS = Array.from(
  { length: 100 },
  (_, index) =>
    `Chapter ${index + 1} tells of valve number ${index + 1}. ` +
    'It opens when the pressure has risen, and shuts when the pressure has fallen again. ' +
    'Whoever services it notes the day, the hour and the reading of the gauge.',
);
const LONG_TEXT: Text = { title: 'Valves', content: CHAPTERS.join('\n\n') };

/** A text with the document that it has become. */
export type StockedText = Text & { document: Document };

export type Stock = {
  knowledgeBaseId: string;
  /** All texts of this knowledge base in the order in which they came; the long one is the last. */
  texts: StockedText[];
  longText: StockedText;
  /** Another knowledge base, with a text that the example query finds. */
  otherKnowledgeBaseId: string;
  /** A file whose ticket expires unused, and when; undefined without an operator. */
  expiring: { fileId: string; expiresAt: string } | undefined;
  /** Deletes all of it. */
  clear(): Promise<void>;
};

/** A ticket that expires after a second. Its one byte fits that server's storage limit only while nothing is stored. */
async function askForExpiringTicket(target: Target, knowledgeBaseId: string) {
  if (target.operator === undefined) return undefined;
  const { api } = createCaller({ address: target.operator.spentAddress, apiKey: target.apiKey });
  return await api.presignUploadUrl({ knowledgeBaseId, fileName: 'late.txt', size: 1 });
}

async function importTexts({ api }: Caller, knowledgeBaseId: string, texts: Text[]): Promise<StockedText[]> {
  const stocked: StockedText[] = [];
  for (const text of texts) {
    stocked.push({ ...text, document: await api.importTextContent({ knowledgeBaseId, ...text }) });
  }
  return stocked;
}

/** Makes it at the target. */
export async function layInStock(target: Target): Promise<Stock> {
  const caller = createCaller(target);
  const { api } = caller;
  const [{ id: knowledgeBaseId }, { id: otherKnowledgeBaseId }] = [
    await api.createKnowledgeBase({ name: 'Contract run', description: 'Deleted at the end of the run' }),
    await api.createKnowledgeBase({ name: 'Contract run, second' }),
  ];
  const expiring = await askForExpiringTicket(target, knowledgeBaseId);
  const texts = await importTexts(caller, knowledgeBaseId, [...TEXTS, LONG_TEXT]);
  const other = { title: 'Elsewhere', content: 'A container restarts elsewhere too.' };
  await importTexts(caller, otherKnowledgeBaseId, [other]);
  return {
    knowledgeBaseId,
    texts,
    longText: texts.at(-1) as StockedText, // the last that was imported
    otherKnowledgeBaseId,
    expiring,
    async clear() {
      for (const id of [knowledgeBaseId, otherKnowledgeBaseId]) await api.deleteKnowledgeBase(id);
    },
  };
}
