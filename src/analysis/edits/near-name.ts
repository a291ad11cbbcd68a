/** Finds the name that a mistyped one was probably meant to be. */
import { editDistance } from './edit-distance.ts';

/** Longer names are not compared: a written name may be as long as a body. */
const NAME_MAX = 100;

/** The letters and digits of a name, in lower case: `knowledge_base_ids`, `KnowledgeBaseIDs` → `knowledgebaseids` */
const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** How many edits a name of this many letters may be away: short names are near too many others (`key`, `keep`). */
const editsAllowed = (letters: number): number => Math.min(2, Math.floor(letters / 3));

/**
 * The nearest of `names`: it differs in case and separators, or in one or two letters. The first of them where several
 * are equally near; undefined where none is near.
 * `minscore` → `minScore`, `knowledge_base_id` → `knowledgeBaseIds`, `verbose` → undefined
 */
export function nearestName(written: string, names: string[]): string | undefined {
  if (written.length > NAME_MAX) return undefined;
  const given = lettersOf(written);
  let nearest: { name: string; edits: number } | undefined;
  for (const name of names) {
    const meant = lettersOf(name);
    const allowed = editsAllowed(meant.length);
    if (Math.abs(given.length - meant.length) > allowed) continue;
    const edits = editDistance(given, meant);
    if (edits <= allowed && edits < (nearest?.edits ?? Number.POSITIVE_INFINITY)) nearest = { name, edits };
  }
  return nearest?.name;
}
