/** A server with a model for tests: a real one over HTTP, that answers as the test says. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request that came. `body`: parsed from JSON. */
export type StubRequest = {
  path: string;
  headers: http.IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they have sent
  body: any;
};
/** An answer in JSON; of another form where the text is given. */
export type StubAnswer = {
  status?: number;
  headers?: http.OutgoingHttpHeaders;
  json?: unknown;
  text?: string;
};
/** Returns the answer, or writes it itself, or leaves the request without one. */
export type Respond = (
  request: StubRequest,
  response: http.ServerResponse,
) => StubAnswer | undefined | Promise<StubAnswer | undefined>;

/** Starts a server that lives as long as the test. `requests`: all that came. */
export async function startStub(respond: Respond): Promise<{ url: string; requests: StubRequest[] }> {
  const requests: StubRequest[] = [];
  const server = http.createServer(async (incoming, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece);
    const text = Buffer.concat(pieces).toString();
    const request = { path: incoming.url ?? '', headers: incoming.headers, body: text && JSON.parse(text) };
    requests.push(request);
    const answer = await respond(request, response);
    if (answer === undefined) return;
    const { status = 200, headers, json } = answer;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(answer.text ?? JSON.stringify(json));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** Numbers that differ from text to text, and are the same each time. */
export function numbersOf(text: string, dimensions: number): number[] {
  let state = 7;
  for (const character of text) state = (Math.imul(state, 31) + (character.codePointAt(0) ?? 0)) | 0;
  return Array.from({ length: dimensions }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return Math.fround(state / 2 ** 31);
  });
}

/** An answer of OpenAI's shape. */
export const embeddingsAnswer = (vectors: readonly unknown[]) => ({
  object: 'list',
  data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
  model: 'stub',
  usage: { prompt_tokens: 1, total_tokens: 1 },
});

/** Vectors of all texts of a request. */
export const embedAll = (request: StubRequest, dimensions = 16): StubAnswer => ({
  json: embeddingsAnswer(request.body.input.map((text: string) => numbersOf(text, dimensions))),
});
