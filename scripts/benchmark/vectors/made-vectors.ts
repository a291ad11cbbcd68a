/**
 * Vectors made by chance, the same each time, of the shape that models give theirs: a part that all have in common,
 * subjects with topics in them, and few directions that vary much beside many that vary little.
 */
import { createRandom } from '../../../contract-tests/harness/documents/texts.ts';
import { lengthOf } from '../../../src/meaning/passage-vectors.ts';

export const DIMENSIONS = 384;
/** Passages about one subject, and about one topic of it: fewer than are looked for. */
const [SUBJECT_SIZE, TOPIC_SIZE] = [1_000, 20];
/** Parts of a vector, as lengths: what all have in common, the subject, the topic, and the passage's own. */
const [COMMON, SUBJECT, TOPIC, OWN] = [1, 0.5, 0.4, 0.5];
/** Standard deviations fall by the root of the place after this many: some 140 directions count. */
const WIDE_DIRECTIONS = 10;

const SEEDS = { common: 1, subject: 500_009, topic: 1_000_003, passage: 2_000_003, text: 4_000_037 };
const WIDTHS = Float32Array.from({ length: DIMENSIONS }, (_, i) => 1 / Math.sqrt(i + WIDE_DIRECTIONS));
const WIDTH = Math.hypot(...WIDTHS);

/** Adds `length` times a random direction to `sum` (Box and Muller 1958). */
function addDirection(sum: Float32Array, length: number, seed: number): void {
  const random = createRandom(seed);
  for (let i = 0; i < DIMENSIONS; i += 2) {
    const radius = (length / WIDTH) * Math.sqrt(-2 * Math.log(1 - random()));
    const angle = 2 * Math.PI * random();
    sum[i] = (sum[i] as number) + radius * Math.cos(angle) * (WIDTHS[i] as number); // all are in range
    sum[i + 1] = (sum[i + 1] as number) + radius * Math.sin(angle) * (WIDTHS[i + 1] as number);
  }
}

function makeTopic(topic: number): Float32Array {
  const sum = new Float32Array(DIMENSIONS);
  addDirection(sum, COMMON, SEEDS.common);
  addDirection(sum, SUBJECT, SEEDS.subject + Math.floor((topic * TOPIC_SIZE) / SUBJECT_SIZE));
  addDirection(sum, TOPIC, SEEDS.topic + topic);
  return sum;
}

/** The vectors of passages 0, 1 … in their order. */
export function* makeVectors(passages: number): Generator<Float32Array> {
  let topic = makeTopic(0);
  for (let passage = 0; passage < passages; passage++) {
    if (passage % TOPIC_SIZE === 0) topic = makeTopic(passage / TOPIC_SIZE);
    const vector = Float32Array.from(topic);
    addDirection(vector, OWN, SEEDS.passage + passage);
    yield vector;
  }
}

/** The vector of a text: of its own, and about one of the topics of `passages` passages. */
export function makeTextVector(text: string, passages: number): Float32Array {
  let hash = 7;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) >>> 0;
  const vector = makeTopic(hash % Math.ceil(passages / TOPIC_SIZE));
  addDirection(vector, OWN, SEEDS.text + hash);
  return vector;
}

/** A passage, by its place among the made vectors. `cosine`: to a query. */
type Near = { place: number; cosine: number };

/** Collects the passages nearest to a query, by the numbers themselves. The vectors come from a `ModelSpace`. */
export function createNearest(query: Float32Array, most: number) {
  const queryLength = lengthOf(query);
  let nearest: Near[] = [];
  let least = -1;
  const cut = () => {
    nearest = nearest.sort((left, right) => right.cosine - left.cosine).slice(0, most);
    least = nearest.length < most ? -1 : (nearest.at(-1)?.cosine ?? -1);
  };
  return {
    /** `length`: of the vector. */
    compare(place: number, vector: Float32Array, length: number): void {
      let dot = 0;
      for (let i = 0; i < vector.length; i++) dot += (vector[i] as number) * (query[i] as number); // of one length
      const cosine = dot / (length * queryLength);
      if (cosine <= least) return;
      nearest.push({ place, cosine });
      if (nearest.length >= 2 * most) cut();
    },
    /** The nearest first. */
    found(): Near[] {
      cut();
      return nearest;
    },
  };
}
