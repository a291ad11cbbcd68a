/** Finds the knowledge base that the user means. */
import type { KnowledgeBase } from '../../../generated/types.gen.ts';
import { editDistance } from '../../analysis/edits/edit-distance.ts';
import type { KnowledgeRetrieval } from '../../client/client.ts';
import { enumerate } from '../../terminal/formats.ts';
import { CommandError } from '../options.ts';

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a text is an id, and therefore not a name. */
export const isKnowledgeBaseId = (text: string): boolean => ID.test(text);

/** A name with this share of other letters may be mistyped. */
const TYPO_MAX_SHARE = 0.34;

/** The sentence about a name that no knowledge base has. Names the nearest one, or the first ones. */
function describeUnknown(name: string, names: string[]): string {
  const unknown = `There is no knowledge base named "${name}".`;
  const distance = (other: string) => editDistance(name.toLowerCase(), other.toLowerCase());
  const nearest = names.toSorted((left, right) => distance(left) - distance(right))[0];
  if (nearest !== undefined && distance(nearest) <= Math.max(1, name.length * TYPO_MAX_SHARE))
    return `${unknown} Did you mean "${nearest}"?`;
  if (names.length === 0) return `${unknown} There are none yet: \`kb create\` and \`import\` make one.`;
  if (names.length === 1) return `${unknown} There is only "${names[0]}".`;
  return `${unknown} There are ${enumerate(names.map((other) => `"${other}"`))}.`;
}

/**
 * The knowledge bases with this name. Names need not be unique. `names`: all names, if no knowledge base has this name.
 */
async function findByName(client: KnowledgeRetrieval, name: string) {
  const found: KnowledgeBase[] = [];
  const names: string[] = [];
  for await (const knowledgeBase of client.listKnowledgeBases()) {
    if (knowledgeBase.name === name) found.push(knowledgeBase);
    names.push(knowledgeBase.name);
  }
  return { found, names };
}

/** A knowledge base, as far as it matters here. */
type Named = { id: string; name: string };

/** @throws a sentence when several knowledge bases have this name */
function requireOne<One extends Named>(found: One[], name: string): One | undefined {
  if (found.length < 2) return found[0];
  const ids = enumerate(found.map(({ id }) => id));
  throw new CommandError(`${found.length} knowledge bases are named "${name}". Give an id: ${ids}.`);
}

/**
 * The knowledge base with this id or name; undefined: none has this name.
 * @throws KNOWLEDGE_BASE_NOT_FOUND for an id; a sentence when several have this name
 */
export async function findKnowledgeBase(
  client: KnowledgeRetrieval,
  idOrName: string,
): Promise<KnowledgeBase | undefined> {
  if (isKnowledgeBaseId(idOrName)) return await client.getKnowledgeBase(idOrName);
  return requireOne((await findByName(client, idOrName)).found, idOrName);
}

/** @throws a sentence unless exactly one of them has this name */
export function requireNamed<One extends Named>(
  { found, names }: { found: One[]; names: string[] },
  name: string,
): One {
  const one = requireOne(found, name);
  if (one === undefined) throw new CommandError(describeUnknown(name, names));
  return one;
}

/** Like `findKnowledgeBase`. @throws a sentence when there is none */
export async function requireKnowledgeBase(
  client: KnowledgeRetrieval,
  idOrName: string,
): Promise<KnowledgeBase> {
  if (isKnowledgeBaseId(idOrName)) return await client.getKnowledgeBase(idOrName);
  return requireNamed(await findByName(client, idOrName), idOrName);
}
