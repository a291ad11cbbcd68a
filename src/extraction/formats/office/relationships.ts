/** Follows the relationships between the parts of an Office file (ECMA-376 part 2, clause 9). */
import { posix } from 'node:path';
import type { Attributes } from '../../markup/markup-tokens.ts';
import { attribute, readXml } from '../../markup/read-xml.ts';
import type { Archive } from '../archive.ts';

/** A reference from a part. `type`: the last word of the relationship's type. `target`: the name of the other part. */
export type Relationship = { id: string; type: string; target: string };

/**
 * The relationships of a part, in their order. The part '' has the relationships of the whole file. Empty where they
 * are missing.
 */
export async function relationshipsOf(archive: Archive, part: string): Promise<Relationship[]> {
  const folder = posix.dirname(part);
  const bytes = await archive.read(posix.join(folder, '_rels', `${posix.basename(part)}.rels`));
  const relationships: Relationship[] = [];
  if (bytes === undefined) return relationships;
  readXml(bytes, {
    open(name, attributes) {
      if (name !== 'Relationship' || attribute(attributes, 'TargetMode') === 'External') return;
      const target = attribute(attributes, 'Target') ?? '';
      relationships.push({
        id: attribute(attributes, 'Id') ?? '',
        type: posix.basename(attribute(attributes, 'Type') ?? ''),
        target: target.startsWith('/') ? target.slice(1) : posix.join(folder, target),
      });
    },
  });
  return relationships;
}

/** The name of the file's main part; `usual` where no relationship names it. */
export async function mainPart(archive: Archive, usual: string): Promise<string> {
  const relationships = await relationshipsOf(archive, '');
  return relationships.find(({ type }) => type === 'officeDocument')?.target ?? usual;
}

/** The relationship id of an element: its `id` in the relationships' namespace, which always has a prefix. */
export function relationshipId(attributes: Attributes): string {
  for (const [name, value] of attributes) if (name.endsWith(':id')) return value;
  return '';
}
