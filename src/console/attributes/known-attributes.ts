/** The attributes that documents have: offered where people type names, and looked up for the types of values. */
import type { AttributeSummary, AttributeType } from '../../client/index.ts';
import { useSession } from '../session.ts';
import { useLoaded } from '../use-loaded.ts';

/** Each knowledge base is a request. */
const ASKED_MAX = 8;

/** How many documents have each type of an attribute, by its name. */
export type KnownTypes = ReadonlyMap<string, ReadonlyMap<AttributeType, number>>;

/** The names, and the most frequent texts of each. `isPartial`: documents may have others. */
export type KnownAttributes = {
  isPartial: boolean;
  names: readonly string[];
  types: KnownTypes;
  values: ReadonlyMap<string, readonly string[]>;
};

/** What the first knowledge bases say of their attributes. `isPartial`: not all documents or attributes are counted. */
type Summaries = { lists: AttributeSummary[][]; isPartial: boolean };

/** Joins the attributes of several knowledge bases. */
function joinAttributes({ lists, isPartial }: Summaries): KnownAttributes {
  const types = new Map<string, Map<AttributeType, number>>();
  const values = new Map<string, Set<string>>();
  for (const { name, types: summaries } of lists.flat()) {
    const counts = types.get(name) ?? new Map<AttributeType, number>();
    const texts = values.get(name) ?? new Set<string>();
    for (const { type, documentCount, values: frequent } of summaries) {
      counts.set(type, (counts.get(type) ?? 0) + documentCount);
      for (const { value } of frequent) texts.add(String(value));
    }
    types.set(name, counts);
    values.set(name, texts);
  }
  const listed = new Map([...values].map(([name, texts]) => [name, [...texts]] as const));
  return { isPartial, names: [...types.keys()], types, values: listed };
}

const NOTHING_KNOWN: Summaries = { lists: [], isPartial: false };

/**
 * Asks the first knowledge bases, and again when `version` changes. Empty until they are known; one that cannot be
 * asked is left out.
 */
export function useAttributeSummaries(knowledgeBaseIds: readonly string[], version = 0): Summaries {
  const { service } = useSession();
  const asked = knowledgeBaseIds.slice(0, ASKED_MAX);
  const { value } = useLoaded(
    async (signal) => {
      const answers = await Promise.allSettled(
        asked.map(async (id) => await service.listAttributes(id, { signal })),
      );
      const known = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
      return {
        lists: known.map(({ attributes }) => attributes),
        isPartial: known.length < knowledgeBaseIds.length || known.some(({ isComplete }) => !isComplete),
      };
    },
    [asked.join(' '), version],
  );
  return value ?? NOTHING_KNOWN;
}

/** The attributes of the first knowledge bases. */
export const useKnownAttributes = (knowledgeBaseIds: readonly string[]): KnownAttributes =>
  joinAttributes(useAttributeSummaries(knowledgeBaseIds));
