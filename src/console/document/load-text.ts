/** Loads the text of a document in portions, with its passages drawn into it. */
import type { KnowledgeRetrieval, Passage } from '../../client/index.ts';

/** A part of the text: a passage, or what stands between two. */
export type Block = { passage: Passage } | { between: string };

/** Some passages in their order. `hasMore`: whether others follow. */
export type Portion = { from: number; to: number; blocks: Block[]; hasMore: boolean };

/** Passages of one portion: some screens. */
export const PORTION = 40;

type Source = { service: KnowledgeRetrieval; documentId: string; signal: AbortSignal };

/** The code points of the text from `start` to `end`. One request returns 100,000 at most. */
async function readText(
  { service, documentId, signal }: Source,
  start: number,
  end: number,
): Promise<string[]> {
  const codePoints: string[] = [];
  while (start + codePoints.length < end) {
    const offset = start + codePoints.length;
    const limit = Math.min(100_000, end - offset);
    const { text } = await service.getDocumentContent({ documentId, offset, limit }, { signal });
    if (text === '') break;
    codePoints.push(...Array.from(text));
  }
  return codePoints;
}

/** Draws passages into the text around them, which begins at `start`. White space between them is left out. */
export function toBlocks(passages: Passage[], codePoints: string[], start: number): Block[] {
  const blocks: Block[] = [];
  let position = start;
  const addBetween = (end: number) => {
    const text = codePoints.slice(position - start, end - start).join('');
    if (text.trim() !== '') blocks.push({ between: text });
    position = Math.max(position, end);
  };
  for (const passage of passages) {
    addBetween(passage.location.start);
    blocks.push({ passage });
    position = Math.max(position, passage.location.end);
  }
  addBetween(start + codePoints.length);
  return blocks;
}

/** Loads the passages from number `from` on, and the text between them. */
export async function loadPortion(source: Source, from: number, to: number): Promise<Portion> {
  const { service, documentId, signal } = source;
  const { data: passages } = await service.listPassages({ documentId, from, to: to + 1 }, { signal });
  const shown = passages.filter(({ location }) => location.passage <= to);
  const [first, next] = [shown[0], passages.find(({ location }) => location.passage > to)];
  const start = from === 1 ? 0 : (first?.location.start ?? 0);
  const end =
    next?.location.start ?? (await service.getDocumentContent({ documentId, limit: 1 }, { signal })).length;
  const codePoints = await readText(source, start, end);
  return { from, to, blocks: toBlocks(shown, codePoints, start), hasMore: next !== undefined };
}
