/** Checks the servers with models, of EMBEDDINGS_URL and RERANK_URL, with sentences whose meaning is known. */
import type { EmbeddingsSettings, RerankSettings } from '../../config/model-settings.ts';
import { CALIBRATION_SENTENCES } from '../../meaning/model/calibration-sentences.ts';
import { type EmbeddingsModel, modelOf } from '../../meaning/model/embeddings-model.ts';
import { createEmbeddingsServer, type EmbeddingsServer } from '../../meaning/model/embeddings-server.ts';
import { findKnownModel } from '../../meaning/model/known-models.ts';
import { BatchRefused, ModelFailure } from '../../meaning/model/model-failures.ts';
import { createReranker } from '../../meaning/model/reranker.ts';
import type { Problem } from '../../terms/problem.ts';

/** A model that is loaded at the first request takes some seconds. */
const TIMEOUT_MS = 15_000;

/**
 * A question, what answers it in other words, and what has nothing to do with it. Small models put a sentence with more
 * of the question's words before the answer (multilingual-e5-small: .84 and .82), so this one has none: .76.
 */
const QUESTION = 'Where can guests leave their vehicle?';
const NEAR = 'The car park for visitors is behind the building.';
const FAR = 'The soup is boiled for twenty minutes.';

/** About the longest passage, in letters: `PASSAGE_MAX_SIZE` of indexing. */
const PASSAGE_SIZE = 1_000;
const BEGINNING = CALIBRATION_SENTENCES.join(' ').slice(0, PASSAGE_SIZE - FAR.length);
/** Vectors that are closer are of the same text; rounding differs by less. */
const SAME = 1 - 1e-5;

/** Requests whose times are compared with the limit of a query. */
const TIMED = 3;

/** The servers, each with what happens without it. */
const UNTIL_THEN = {
  'The embeddings server': 'Until then searches go by words.',
  'The reranker': 'Until then passages stay in their order.',
};
type ModelServer = keyof typeof UNTIL_THEN;

type Asked = { server: EmbeddingsServer; model: EmbeddingsModel; signal: AbortSignal };

function cosine(a: Float32Array, b: Float32Array): number {
  let [dot, ofA, ofB] = [0, 0, 0];
  for (const [i, x] of a.entries()) {
    const y = b[i] ?? 0;
    dot += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  return dot / Math.sqrt(ofA * ofB);
}

/** The problem that three known sentences show, and the problem of their length. */
async function checkSentences({ server, model, signal }: Asked): Promise<Problem[]> {
  const [asked] = await server.embed([QUESTION], { kind: 'query', signal });
  const [near, far] = await server.embed([NEAR, FAR], { kind: 'passage', signal });
  if (asked === undefined || near === undefined || far === undefined) return [];
  const problems: Problem[] = [];
  if (!(cosine(asked, near) > cosine(asked, far)))
    problems.push({
      problem:
        `The vectors of ${model.model} do not show what texts mean: "${QUESTION}" is not nearer to ` +
        `"${NEAR}" than to "${FAR}".`,
      remedy:
        'Set EMBEDDINGS_MODEL to a model for embeddings, and EMBEDDINGS_QUERY_PREFIX and EMBEDDINGS_PASSAGE_PREFIX ' +
        'to what its page says.',
    });
  const known = model.askedDimensions === undefined ? findKnownModel(model.model)?.dimensions : undefined;
  if (known !== undefined && asked.length !== known)
    problems.push({
      isWarning: true,
      problem: `Vectors of ${model.model} have ${known} dimensions, and those of the server ${asked.length}.`,
      remedy:
        'It may run another model: set EMBEDDINGS_MODEL to its name, so that it gets the prefixes that it needs.',
    });
  return problems;
}

/** Whether the end of a long passage is read. */
async function checkLength({ server, signal }: Asked): Promise<Problem[]> {
  const said = `of a passage of ${PASSAGE_SIZE} letters`;
  const remedy =
    'Choose a model that reads at least 512 tokens, or raise the limit of its server ' +
    '(TEI: --auto-truncate; llama.cpp: --ubatch-size; Ollama: num_ctx).';
  try {
    const texts = [`${BEGINNING} ${NEAR}`, `${BEGINNING} ${FAR}`];
    const [one, other] = await server.embed(texts, { kind: 'passage', signal });
    if (one === undefined || other === undefined || cosine(one, other) < SAME) return [];
    return [{ isWarning: true, problem: `Texts are cut: ${said} the model does not read the end.`, remedy }];
  } catch (error) {
    if (!(error instanceof BatchRefused)) throw error;
    const problem = `Texts are cut: ${said} only the beginning will be sent. ${error.message}`;
    return [{ isWarning: true, problem, remedy }];
  }
}

/** Whether the server takes as many texts as are sent at once. */
async function checkBatch({ server, signal }: Asked, batch: number): Promise<Problem[]> {
  try {
    await server.embed(
      Array.from({ length: batch }, () => NEAR),
      { kind: 'passage', signal },
    );
    return [];
  } catch (error) {
    if (!(error instanceof BatchRefused)) throw error;
    return [
      {
        isWarning: true,
        problem: `The embeddings server refuses EMBEDDINGS_BATCH (${batch}) texts at once. ${error.message}`,
        remedy: 'Set EMBEDDINGS_BATCH to what it takes. Otherwise larger requests are tried again and again.',
      },
    ];
  }
}

/** The problem of a server whose fastest answer is too late for a query. */
async function checkTime(
  what: ModelServer,
  setting: string,
  limitMs: number,
  ask: () => Promise<unknown>,
): Promise<Problem[]> {
  let fastestMs = Number.POSITIVE_INFINITY;
  for (let i = 0; i < TIMED && fastestMs > limitMs; i++) {
    const startedAtMs = performance.now();
    await ask();
    fastestMs = Math.min(fastestMs, performance.now() - startedAtMs);
  }
  if (fastestMs <= limitMs) return [];
  return [
    {
      isWarning: true,
      problem: `${what} needs ${Math.ceil(fastestMs)} ms for a query, and ${setting} is ${limitMs}.`,
      remedy: `Raise ${setting}, or use a smaller model or a faster machine. ${UNTIL_THEN[what]}`,
    },
  ];
}

/** Runs the checks of a server; if it fails, that is the problem. */
async function runChecks(
  what: ModelServer,
  settings: string,
  checks: () => AsyncGenerator<Problem[]>,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  try {
    for await (const found of checks()) problems.push(...found);
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    if (!isLate && !(error instanceof ModelFailure)) throw error;
    const problem = isLate ? `The server did not answer within ${TIMEOUT_MS / 1000} s.` : error.message;
    problems.push({ problem, remedy: `Start the server, or correct ${settings}. ${UNTIL_THEN[what]}` });
  }
  return problems;
}

/** Checks the model of the passages' vectors. */
export async function checkEmbeddings(settings: EmbeddingsSettings): Promise<Problem[]> {
  const model = modelOf(settings);
  const asked: Asked = {
    server: createEmbeddingsServer(model),
    model,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  };
  const { signal } = asked;
  return await runChecks(
    'The embeddings server',
    'EMBEDDINGS_URL, EMBEDDINGS_MODEL, EMBEDDINGS_DIMENSIONS or EMBEDDINGS_API_KEY',
    async function* () {
      yield await checkSentences(asked);
      yield await checkLength(asked);
      yield await checkBatch(asked, settings.batch);
      yield await checkTime('The embeddings server', 'EMBEDDINGS_TIMEOUT_MS', settings.timeoutMs, () =>
        asked.server.embed([QUESTION], { kind: 'query', signal }),
      );
    },
  );
}

/** Checks the model that puts the best passages in order, with as many as it will get. */
export async function checkReranker(settings: RerankSettings): Promise<Problem[]> {
  const reranker = createReranker(settings);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const texts = Array.from({ length: settings.candidates }, (_, i) => (i === 0 ? NEAR : FAR));
  return await runChecks(
    'The reranker',
    'RERANK_URL, RERANK_MODEL, RERANK_CANDIDATES or RERANK_API_KEY',
    async function* () {
      const [near = 0, far = 0] = await reranker.rerank(QUESTION, [NEAR, FAR], signal);
      yield near > far
        ? []
        : [
            {
              problem:
                'The reranker does not know what texts mean: ' +
                `to "${QUESTION}" it puts "${FAR}" before "${NEAR}".`,
              remedy: 'Set RERANK_MODEL, or the model of its server, to one for reranking.',
            },
          ];
      yield await checkTime('The reranker', 'RERANK_TIMEOUT_MS', settings.timeoutMs, () =>
        reranker.rerank(QUESTION, texts, signal),
      );
    },
  );
}
