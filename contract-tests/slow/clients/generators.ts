/** Where the generators of clients for other languages are installed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The path of a file in the folder GENERATORS; undefined: it is not there. */
export const generatorPath = (name: string): string | undefined =>
  [join(process.env.GENERATORS ?? '/nonexistent', name)].find(existsSync);

/** The generators that are missing, by the names of their files. */
export const missingGenerators = (): string[] =>
  ['python/openapi_python_client', 'openapi-generator-cli.jar', 'oapi-codegen'].filter(
    (name) => generatorPath(name) === undefined,
  );
