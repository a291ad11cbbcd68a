/** A text that is too long for a model: its beginning stands for it. */
import type { EmbeddingsServer, EmbedOptions } from './embeddings-server.ts';
import { BatchRefused } from './model-failures.ts';

/** No model refuses a text of so few characters for its length. */
const SHORT_LENGTH = 64;

/** The first half of a text, without half a character at its end; undefined: it is short. */
export function halfOf(text: string): string | undefined {
  if (text.length <= SHORT_LENGTH) return undefined;
  return text.slice(0, text.length >> 1).replace(/[\ud800-\udbff]$/, '');
}

/**
 * The vector of one text. A text that the server refuses is cut by half until it is taken; `isCut` says so.
 * @throws ModelFailure: BatchRefused when it is refused as a short text too; the reason of the signal
 */
export async function embedCut(
  server: EmbeddingsServer,
  text: string,
  options: EmbedOptions,
): Promise<{ vector: Float32Array; isCut: boolean }> {
  let refused: BatchRefused | undefined;
  for (let part: string | undefined = text; part !== undefined; part = halfOf(part))
    try {
      const [vector] = await server.embed([part], options);
      if (vector !== undefined) return { vector, isCut: part !== text };
    } catch (error) {
      if (!(error instanceof BatchRefused)) throw error;
      refused = error;
    }
  throw refused ?? new BatchRefused('The embeddings server refused a text.');
}
