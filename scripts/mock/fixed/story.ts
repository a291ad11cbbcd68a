/**
 * The examples form one consistent data set of two knowledge bases and three documents.
 * This module finds the example that matches a request's ids, so that ids from one answer work in every other
 * operation.
 */
import type { Example } from '../prism.ts';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const DOCUMENT = new RegExp(`${UUID.source}_${UUID.source}`);
/** A knowledge base's id of any form, followed by the suffix of a document or file. */
const COMPOUND = /^(.{36})_(.+)$/su;

/** The ids that a request may contain, by the names of the spec's inputs. */
export type RequestedIds = {
  knowledgeBaseId?: string;
  knowledgeBaseIds?: string[];
  documentId?: string;
  fileId?: string;
};

/** The request's ids; undefined without ids. */
function idsOf({
  knowledgeBaseId,
  knowledgeBaseIds,
  documentId,
  fileId,
}: RequestedIds): string[] | undefined {
  if (knowledgeBaseIds !== undefined) return knowledgeBaseIds;
  const id = knowledgeBaseId ?? documentId ?? fileId;
  return id === undefined ? undefined : [id];
}

/** The form of ids, from the spec. Any other text of their length identifies nothing, as in the service. */
const ID = /^[\w-]+$/;

/** Whether all requested ids have a valid form. */
export const haveValidForm = (requested: RequestedIds): boolean =>
  (idsOf(requested) ?? []).every((id) => ID.test(id));

/**
 * Whether the body contains this id, alone or as part of another id. Only UUIDs count: a text such as `pdf` also occurs
 * elsewhere in the examples.
 */
const mentions = (body: unknown, id: string): boolean => UUID.test(id) && JSON.stringify(body).includes(id);
const mentionsNothing = ({ body }: Example): boolean => !UUID.test(JSON.stringify(body));

/** Whether `id` occurs in the examples. */
const isKnown = (story: Example[], id: string): boolean => story.some(({ body }) => mentions(body, id));

/**
 * Chooses the example for this request. First choice: an example with the requested ids.
 * If only other answers know these ids: an empty example. Otherwise: the first one, whose ids `replaceIds` replaces.
 */
export function chooseExample(
  examples: Example[],
  requested: RequestedIds,
  story: Example[],
): Example | undefined {
  const ids = idsOf(requested);
  if (ids === undefined) return examples[0];
  const about = examples.find(({ body }) => ids.some((id) => mentions(body, id)));
  if (about !== undefined) return about;
  const empty = examples.find(mentionsNothing);
  if (empty !== undefined && ids.every((id) => isKnown(story, id))) return empty;
  const [, , ownPart] = COMPOUND.exec(ids[0] ?? '') ?? [];
  return examples.find(({ body }) => ownPart !== undefined && mentions(body, ownPart)) ?? examples[0];
}

/** The value with `change` applied to every text in it. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]));
}

/** The answer with its ids replaced by the requested ones; unchanged where it contains them already. */
export function replaceIds(body: unknown, requested: RequestedIds): unknown {
  const [id] = idsOf(requested) ?? [];
  const text = JSON.stringify(body);
  const [ownKnowledgeBase] = UUID.exec(text) ?? [];
  if (id === undefined || ownKnowledgeBase === undefined || mentions(body, id)) return body;
  const [ownDocument] = DOCUMENT.exec(text) ?? [];
  const isPart = requested.documentId !== undefined || requested.fileId !== undefined;
  const knowledgeBase = isPart ? (COMPOUND.exec(id)?.[1] ?? ownKnowledgeBase) : id;
  const changed = new Map([
    [ownKnowledgeBase, knowledgeBase],
    ...(requested.documentId !== undefined && ownDocument !== undefined ? [[ownDocument, id] as const] : []),
  ]);
  // Longer ids first, since a document's id begins with its knowledge base's.
  const own = new RegExp([...changed.keys()].toReversed().join('|'), 'g');
  return mapTexts(body, (each) => each.replace(own, (found) => changed.get(found) ?? found));
}
