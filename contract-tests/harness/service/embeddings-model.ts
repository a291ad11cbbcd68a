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

const JSON_TYPE = { 'content-type': 'application/json' };
const MODEL_ERROR = { error: { message: 'out of memory' } };

/** How the model answers these texts; undefined: not at all. `status`: by default 200. */
type Answers = (
  input: string[],
) => { status?: number; headers?: Record<string, string>; body: string } | undefined;

const answerOf = (input: string[], numbersOf: (text: string) => unknown) => ({
  headers: JSON_TYPE,
  body: JSON.stringify({
    data: input.map((text, index) => ({ object: 'embedding', index, embedding: numbersOf(text) })),
  }),
});

/** What a server may do. `limits`: for an hour. */
const BEHAVIOURS = {
  answers: (input) => answerOf(input, vectorOf),
  fails: () => ({ status: 500, headers: JSON_TYPE, body: JSON.stringify(MODEL_ERROR) }),
  hangs: () => undefined,
  'has another length': (input) => answerOf(input, (text) => [...vectorOf(text), 1]),
  // As Python writes it, which is no JSON.
  'has no numbers': (input) => {
    const { headers, body } = answerOf(input, (text) => vectorOf(text).map(() => Number.NaN));
    return { headers, body: body.replaceAll('null', 'NaN') };
  },
  'is another program': () => ({ headers: { 'content-type': 'text/html' }, body: '<h1>It works!</h1>' }),
  'answers by half': (input) => {
    const { headers, body } = answerOf(input, vectorOf);
    return { headers, body: body.slice(0, body.length / 2) };
  },
  limits: () => ({ status: 429, headers: { ...JSON_TYPE, 'retry-after': '3600' }, body: '{}' }),
} satisfies Record<string, Answers>;

/** How the model behaves: it answers, fails in one of several ways, or does not answer at all. */
export type Behaviour = keyof typeof BEHAVIOURS;

/** The ways in which it fails, in an order in which it can be asked again after each but the last one. */
export const FAULTS: readonly (Behaviour | 'is dead')[] = [
  'fails',
  'hangs',
  'has another length',
  'has no numbers',
  'is another program',
  'answers by half',
  'is dead',
  'limits',
];

export type EmbeddingsModel = AsyncDisposable & {
  /** The settings of a service that asks it. */
  settings: Record<string, string>;
  behaviour: Behaviour;
  /** The texts of all requests, with their prefixes. */
  asked: string[];
  /** Ends the server: connections are refused until `start`. */
  end(): Promise<void>;
  start(): Promise<void>;
};

export async function startEmbeddingsModel(): Promise<EmbeddingsModel> {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const { input } = JSON.parse(Buffer.concat(pieces).toString()) as { input: string[] };
    model.asked.push(...input);
    const answers: Answers = BEHAVIOURS[model.behaviour];
    const answer = answers(input);
    if (answer !== undefined) response.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const end = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const model: EmbeddingsModel = {
    settings: {
      EMBEDDINGS_URL: `http://127.0.0.1:${port}`,
      EMBEDDINGS_MODEL: 'multilingual-e5-small',
      EMBEDDINGS_API_KEY: 'sk-secret',
    },
    behaviour: 'answers',
    asked: [],
    end,
    start: () => listen(port),
    [Symbol.asyncDispose]: end,
  };
  return model;
}
