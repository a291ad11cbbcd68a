/**
 * Reports whether spec/openapi.yaml breaks a client of the last release, whose spec is spec/released.yaml.
 * With --release the current spec becomes the released one, unless it breaks anything.
 */
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dereference, readDocument } from '../../src/contract-check/spec/read-document.ts';
import { openJsonParameters } from '../../src/http/contract/json-parameters.ts';
import { isMain, scriptCommand } from '../arguments.ts';
import { isBreakingOnPurpose } from './compare-schemas.ts';
import { findBreakingChanges, type Spec } from './compare-specs.ts';

const current = join(import.meta.dirname, '../../spec/openapi.yaml');
/**
 * A file rather than the spec of the newest tag: shallow clones and archives contain the file, and a review shows its
 * changes.
 */
const released = join(import.meta.dirname, '../../spec/released.yaml');

/**
 * An OpenAPI document for comparison; a parameter in JSON is compared by the value in it. Both documents were linted
 * before they were committed.
 */
export const readSpec = (path: string): Spec =>
  dereference(openJsonParameters(readDocument(path) as object)) as Spec;

/** The changes that break clients of the last release, a sentence each. */
export const findReleaseBreaks = (): string[] => findBreakingChanges(readSpec(released), readSpec(current));

/** The changes that break clients on purpose: the name of each schema, and the sentence of its `x-breaking-change`. */
function findIntendedBreaks(): string[] {
  const before = readSpec(released).components?.schemas ?? {};
  return Object.entries(readSpec(current).components?.schemas ?? {})
    .filter(([name, schema]) => isBreakingOnPurpose({ released: before[name] ?? {}, current: schema }))
    .map(([name, schema]) => `${name}: ${schema['x-breaking-change']}`);
}

function main(): void {
  const { release } = scriptCommand('contract:diff')
    .description(
      'Lists what in spec/openapi.yaml breaks clients of spec/released.yaml; exits with 1 if anything does.',
    )
    .option('--release', 'make the current spec the released one, unless it breaks anything')
    .parse()
    .opts<{ release?: true }>();
  const breaks = findReleaseBreaks();
  if (breaks.length > 0) {
    process.exitCode = 1;
    process.stderr.write(
      `spec/openapi.yaml breaks clients of spec/released.yaml:\n  ${breaks.join('\n  ')}\n`,
    );
    return;
  }
  const intended = findIntendedBreaks();
  const but = intended.length > 0 ? `, except on purpose:\n  ${intended.join('\n  ')}` : '.';
  process.stdout.write(`spec/openapi.yaml breaks no client of spec/released.yaml${but}\n`);
  if (!release || readFileSync(current).equals(readFileSync(released))) return;
  copyFileSync(current, released);
  process.stdout.write(
    'spec/released.yaml is now the same as spec/openapi.yaml; commit it with the release.\n',
  );
}

if (isMain(import.meta.filename)) main();
