/** The data of a run: two knowledge bases with texts, created at its start and deleted at its end. */
import type { Attributes, Document } from '../../../generated/types.gen.ts';
import { type Caller, createCaller } from '../requests/calling.ts';
import { type Created, deleteCreated, nothingCreated, RUN_NAME } from './created.ts';
import type { Target } from './target.ts';

type Text = { title: string; content: string; attributes?: Attributes };

/** The attributes of one of the texts that the example query finds. */
const MARKED = { reviewed: true };
/** Only documents with these attributes. */
export const IS_MARKED = { type: 'eq', key: 'reviewed', value: true } as const;

/** The spec's example query finds five of these texts, in another order, and not the sixth. */
const TEXTS: Text[] = [
  { title: 'Release notes 2.4', content: 'The container of version 2.4 keeps its policy for restarts.' },
  {
    title: 'Restarts',
    content: 'A container restarts by itself when it has stopped with an error and its policy is on-failure.',
  },
  { title: 'Logs', content: 'The log of a container keeps the reason of its last stop.' },
  {
    title: 'Upgrades',
    content: 'An operator restarts the service by hand: después, así — naïve café 知识 😀.',
    attributes: MARKED,
  },
  { title: 'Volumes', content: 'A volume outlives its container.' },
  { title: 'Canteen', content: 'Lunch is served at noon.' },
  { title: 'Kitchen', content: 'Lunch is served at noon.' },
];

/** The title of the best result of the spec's example query. */
export const BEST_TITLE = 'Restarts';
/** The title of the text that this query does not find. */
export const UNRELATED_TITLE = 'Canteen';

/** This query finds two documents with the same text. */
export const SAME_TEXT_QUERY = 'lunch at noon';

/** This query finds every passage of the long text. */
export const LONG_TEXT_QUERY = 'pressure gauge';

/** More passages than a query returns by default. */
const CHAPTERS = Array.from(
  { length: 100 },
  (_, index) =>
    `Chapter ${index + 1} tells of valve number ${index + 1}. ` +
    'It opens when the pressure has risen, and shuts when the pressure has fallen again. ' +
    'Whoever services it notes the day, the hour and the reading of the gauge.',
);
const LONG_TEXT: Text = { title: 'Valves', content: CHAPTERS.join('\n\n') };

/** A text, and the document of its import. */
export type ImportedText = Text & { document: Document };

export type Fixtures = {
  knowledgeBaseId: string;
  /** All texts of this knowledge base in the order of their import; the long one is the last. */
  texts: ImportedText[];
  longText: ImportedText;
  /** Another knowledge base, with a text that the example query finds. */
  otherKnowledgeBaseId: string;
  /** A file with a ticket that expires unused; undefined without an operator. */
  expiring: { fileId: string; expiresAt: string } | undefined;
  /** Deletes all fixtures. */
  clear(): Promise<void>;
};

/** Gets a ticket that expires after a second. The storage limit allows its one byte only in an empty account. */
async function requestExpiringTicket(target: Target, knowledgeBaseId: string) {
  if (target.operator === undefined) return undefined;
  const { api } = createCaller({ address: target.operator.limitedAddress, apiKey: target.apiKey });
  return await api.presignUploadUrl({ knowledgeBaseId, fileName: 'late.txt', size: 1 });
}

async function importTexts({ api }: Caller, knowledgeBaseId: string, texts: Text[]): Promise<ImportedText[]> {
  const imported: ImportedText[] = [];
  for (const text of texts) {
    imported.push({ ...text, document: await api.importTextContent({ knowledgeBaseId, ...text }) });
  }
  return imported;
}

/** Creates the fixtures at the target, and adds them to `created` one by one. */
export async function createFixtures(target: Target, created: Created = nothingCreated()): Promise<Fixtures> {
  const caller = createCaller(target);
  const create = async (name: string, description: string): Promise<string> => {
    const { id } = await caller.api.createKnowledgeBase({ name, description });
    created.made.add(id);
    return id;
  };
  const knowledgeBaseId = await create(RUN_NAME, 'Deleted at the end of the run');
  const otherKnowledgeBaseId = await create(`${RUN_NAME}, second`, 'Deleted at the end of the run');
  const expiring = await requestExpiringTicket(target, knowledgeBaseId);
  const texts = await importTexts(caller, knowledgeBaseId, [...TEXTS, LONG_TEXT]);
  const other = { title: 'Elsewhere', content: 'A container restarts elsewhere too.' };
  await importTexts(caller, otherKnowledgeBaseId, [other]);
  return {
    knowledgeBaseId,
    texts,
    longText: texts.at(-1) as ImportedText, // LONG_TEXT, imported last
    otherKnowledgeBaseId,
    expiring,
    async clear() {
      await deleteCreated(target, created);
    },
  };
}
