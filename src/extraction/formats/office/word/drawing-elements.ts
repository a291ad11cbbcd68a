/** Drawings in a Word document: of these, text boxes, descriptions, charts and diagrams are text. */

import { altText } from '../../../markup/alt-text.ts';
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute } from '../../../markup/read-xml.ts';
import type { Translation } from '../../../rendering/translate-xml.ts';
import { relationshipId } from '../relationships.ts';
import { describe, openBox, type Story, writeRelated } from './story.ts';

/** Elements with paragraphs of their own. */
export const BOXES = new Set(['txbxContent', 'txBody']);

export function openDrawing(story: Story, name: string, attributes: Attributes): Translation {
  if (BOXES.has(name)) return openBox(story);
  const value = (key: string) => attribute(attributes, key);
  if (name === 'docPr') describe(story, altText(value('descr') ?? value('title')));
  else if (name === 'shape') describe(story, altText(value('alt')));
  else if (name === 'textpath') describe(story, value('string')?.trim() ?? '');
  else if (name === 'chart') writeRelated(story, relationshipId(attributes));
  else if (name === 'relIds') writeRelated(story, value('dm') ?? '');
  else if (name === 'OLEObject') story.context.onObject(value('ProgID') ?? '');
  return undefined;
}
