/** Reads the spec of the service. */
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';

/** The parts of the spec that code other than openapi-backend uses. */
export type Spec = { info: { title: string }; servers: { url: string; description?: string }[] };

/** A new copy for each caller, as the file has it: with references. */
export const readSpec = (): Spec =>
  load(readFileSync(new URL('../../spec/openapi.yaml', import.meta.url), 'utf8')) as Spec;
