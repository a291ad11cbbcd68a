/** Reads the texts of a sheet that stand beside its cells. */

import type { CellText } from '../../../rendering/sheet-table.ts';
import type { Archive } from '../../archive.ts';
import { relationshipsOf } from '../../office/relationships.ts';
import { readComments, readThreads } from './comments.ts';
import { readDrawing, readLabels } from './drawings.ts';

/** The texts of drawings and comments of a sheet, in this order. Labels of controls may stand in two parts. */
export async function textsBeside(archive: Archive, sheet: string): Promise<CellText[]> {
  const relationships = await relationshipsOf(archive, sheet);
  const texts: CellText[] = [];
  const read = async (wanted: string, readPart: (part: Uint8Array) => CellText[]): Promise<void> => {
    for (const { target } of relationships.filter(({ type }) => type === wanted)) {
      const part = await archive.read(target);
      if (part) texts.push(...readPart(part));
    }
  };
  for (const { target } of relationships.filter(({ type }) => type === 'drawing'))
    texts.push(...(await readDrawing(archive, target)));
  const drawn = new Set(texts.map((text) => String(text).trim()));
  await read('vmlDrawing', (part) => readLabels(part).filter((label) => !drawn.has(label.trim())));
  await read('comments', readComments);
  await read('threadedComment', readThreads);
  return texts;
}
