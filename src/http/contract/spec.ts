/** Reads the spec of the service. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { load } from 'js-yaml';

/** The parts of the spec that this code uses itself. openapi-backend reads the rest. */
export type Spec = { info: { title: string }; servers: { url: string; description?: string }[] };

/** By its name in the package, whose built files lie at another depth. */
const path = createRequire(import.meta.url).resolve('knowledge-retrieval/spec/openapi.yaml');

/** Reads the spec as it is in the file, with its `$ref`s. Each call returns a new copy. */
export const readSpec = (): Spec => load(readFileSync(path, 'utf8')) as Spec;
