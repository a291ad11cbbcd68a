/** A server with a model that knows a few words, for services with EMBEDDINGS_URL. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What is meant alike. */
const MEANINGS = [
  ['hotel', 'accommodation', 'lodging'],
  ['wages', 'salary', 'pay'],
  ['physicians', 'doctor'],
];

/** Numbers for texts without these words: their lengths choose one. */
const OTHERS = 12;

/** What all texts have in common, then 1 for each meaning that the text has. */
function vectorOf(text: string): number[] {
  const meanings = MEANINGS.map((words) => (words.some((word) => text.toLowerCase().includes(word)) ? 1 : 0));
  const isOther = (place: number) => !meanings.includes(1) && text.length % OTHERS === place;
  return [1, ...meanings, ...Array.from({ length: OTHERS }, (_, place) => (isOther(place) ? 1 : 0))];
}

/** How the model behaves: it answers, fails, or does not answer at all. */
export type Behaviour = 'answers' | 'fails' | 'hangs';

export type EmbeddingsModel = AsyncDisposable & {
  /** The settings of a service that asks it. */
  settings: Record<string, string>;
  behaviour: Behaviour;
  /** The texts of all requests, with their prefixes. */
  asked: string[];
};

export async function startEmbeddingsModel(): Promise<EmbeddingsModel> {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const { input } = JSON.parse(Buffer.concat(pieces).toString()) as { input: string[] };
    model.asked.push(...input);
    if (model.behaviour === 'hangs') return;
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }));
    response.writeHead(model.behaviour === 'fails' ? 500 : 200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(model.behaviour === 'fails' ? { error: { message: 'out of memory' } } : { data }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const model: EmbeddingsModel = {
    settings: {
      EMBEDDINGS_URL: url,
      EMBEDDINGS_MODEL: 'multilingual-e5-small',
      EMBEDDINGS_API_KEY: 'sk-secret',
    },
    behaviour: 'answers',
    asked: [],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return model;
}
