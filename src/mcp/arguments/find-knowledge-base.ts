/** Finds the knowledge bases that a model means: by their ids or their names. */

import { nearestName } from '../../analysis/edits/near-name.ts';
import type { KnowledgeRetrieval } from '../../client/client.ts';

/** A knowledge base, as far as it matters here. */
export type Named = { id: string; name: string };

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Names that an error lists. */
const LISTED_MAX = 10;

/** All knowledge bases of the key. */
export async function listAll(client: KnowledgeRetrieval, signal: AbortSignal): Promise<Named[]> {
  const all: Named[] = [];
  for await (const each of client.listKnowledgeBases({}, { signal })) all.push(each);
  return all;
}

const fold = (name: string): string => name.normalize('NFKC').trim().toLowerCase();

function describeUnknown(given: string, names: string[]): string {
  const unknown = `There is no knowledge base ${JSON.stringify(given.slice(0, 100))}`;
  if (names.length === 0) return `${unknown}: there are none.`;
  const nearest = nearestName(given, names);
  if (nearest !== undefined) return `${unknown}; did you mean ${JSON.stringify(nearest)}?`;
  if (names.length === 1) return `${unknown}. There is only ${JSON.stringify(names[0])}.`;
  const listed = names.slice(0, LISTED_MAX).map((name) => JSON.stringify(name));
  const more = names.length > LISTED_MAX ? '; list_knowledge_bases returns all' : '';
  return `${unknown}. There are ${listed.join(', ')}${more}.`;
}

/**
 * The id of the knowledge base that has this name, in any case where no other has it so; an id is returned as it is.
 * @throws a sentence for the model when none or several have the name
 */
export function idOf(given: string, all: Named[]): string {
  if (ID.test(given)) return given.toLowerCase();
  const exact = all.filter(({ name }) => name === given);
  const found = exact.length > 0 ? exact : all.filter(({ name }) => fold(name) === fold(given));
  if (found.length > 1)
    throw new Error(
      `${found.length} knowledge bases are named ${JSON.stringify(given)}. Give an id: ` +
        `${found.map(({ id }) => id).join(', ')}.`,
    );
  if (found[0] === undefined)
    throw new Error(
      describeUnknown(
        given,
        all.map(({ name }) => name),
      ),
    );
  return found[0].id;
}

/** The id of the knowledge base that is given by its id or name. @throws a sentence for the model */
export const findKnowledgeBaseId = async (
  given: string,
  { client, signal }: { client: KnowledgeRetrieval; signal: AbortSignal },
): Promise<string> => idOf(given, ID.test(given) ? [] : await listAll(client, signal));
