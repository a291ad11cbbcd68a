/**
 * The examples tell one story, of two knowledge bases and three documents. Here a request finds the example that
 * speaks of what it asks for, so that ids that one answer gives get fitting answers everywhere.
 */
import type { Example } from './prism.ts';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const DOCUMENT = new RegExp(`${UUID.source}_${UUID.source}`);
/** A knowledge base's id of any form, and what documents and files have behind it. */
const COMPOUND = /^(.{36})_(.+)$/su;

/** The ids that an operation can be asked about, as the spec names its inputs. */
export type Asked = {
  knowledgeBaseId?: string;
  knowledgeBaseIds?: string[];
  documentId?: string;
  fileId?: string;
};

/** Undefined: the request names nothing. */
function idsOf({ knowledgeBaseId, knowledgeBaseIds, documentId, fileId }: Asked): string[] | undefined {
  if (knowledgeBaseIds !== undefined) return knowledgeBaseIds;
  const id = knowledgeBaseId ?? documentId ?? fileId;
  return id === undefined ? undefined : [id];
}

/** What ids are made of, by the spec; any other text of their length names nothing, in the service as here. */
const ID = /^[\w-]+$/;

/** Whether all that is asked for could exist. */
export const couldExist = (asked: Asked): boolean => (idsOf(asked) ?? []).every((id) => ID.test(id));

/** Whether the body speaks of this id, or part of one. Those of the story are made of UUIDs; `pdf` is a type. */
const mentions = (body: unknown, id: string): boolean => UUID.test(id) && JSON.stringify(body).includes(id);
const mentionsNothing = ({ body }: Example): boolean => !UUID.test(JSON.stringify(body));

/** Whether `id` is one that the story gives to a client. */
const isKnown = (story: Example[], id: string): boolean => story.some(({ body }) => mentions(body, id));

/**
 * Of the examples of an answer, the one for this request: that speaks of what is asked for; for what the story knows
 * but this answer has nothing of, an empty one; else the first, to be retold.
 */
export function chooseExample(examples: Example[], asked: Asked, story: Example[]): Example | undefined {
  const ids = idsOf(asked);
  if (ids === undefined) return examples[0];
  const about = examples.find(({ body }) => ids.some((id) => mentions(body, id)));
  if (about !== undefined) return about;
  const empty = examples.find(mentionsNothing);
  if (empty !== undefined && ids.every((id) => isKnown(story, id))) return empty;
  const [, , ownPart] = COMPOUND.exec(ids[0] ?? '') ?? [];
  return examples.find(({ body }) => ownPart !== undefined && mentions(body, ownPart)) ?? examples[0];
}

/** The same value with every text in it changed. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]));
}

/** The answer with the ids that were asked for in place of its own; the same where it speaks of them already. */
export function retell(body: unknown, asked: Asked): unknown {
  const [id] = idsOf(asked) ?? [];
  const text = JSON.stringify(body);
  const [ownKnowledgeBase] = UUID.exec(text) ?? [];
  if (id === undefined || ownKnowledgeBase === undefined || mentions(body, id)) return body;
  const [ownDocument] = DOCUMENT.exec(text) ?? [];
  const isPart = asked.documentId !== undefined || asked.fileId !== undefined;
  const knowledgeBase = isPart ? (COMPOUND.exec(id)?.[1] ?? ownKnowledgeBase) : id;
  const changed = new Map([
    [ownKnowledgeBase, knowledgeBase],
    ...(asked.documentId !== undefined && ownDocument !== undefined ? [[ownDocument, id] as const] : []),
  ]);
  // The longer id first: a document's begins with its knowledge base's.
  const own = new RegExp([...changed.keys()].toReversed().join('|'), 'g');
  return mapTexts(body, (each) => each.replace(own, (found) => changed.get(found) ?? found));
}
