/** Reads the spec that the service is made after. */
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';

/** As far as anything but openapi-backend looks into it. */
export type Spec = { info: { title: string }; servers: { url: string; description?: string }[] };

/** A copy of its own for each caller, as it is written: with references. */
export const readSpec = (): Spec =>
  load(readFileSync(new URL('../../spec/openapi.yaml', import.meta.url), 'utf8')) as Spec;
