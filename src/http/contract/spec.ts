/** Reads the spec of the service. */
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';

/** The parts of the spec that this code uses itself. openapi-backend reads the rest. */
export type Spec = { info: { title: string }; servers: { url: string; description?: string }[] };

/** Reads the spec as it is in the file, with its `$ref`s. Each call returns a new copy. */
export const readSpec = (): Spec =>
  load(readFileSync(new URL('../../../spec/openapi.yaml', import.meta.url), 'utf8')) as Spec;
