/** The comparison of specs finds every change that breaks clients, and no other. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dereference, readDocument } from '../../src/contract-check/spec/read-document.ts';
import { findBreakingChanges, type Spec } from './compare-specs.ts';
import { findReleaseBreaks } from './contract-diff.ts';
import { BREAKING_CHANGES, HARMLESS_CHANGES } from './seeded-changes.ts';

const specFile = join(import.meta.dirname, '../../spec/openapi.yaml');
const written = readDocument(specFile) as Record<string, unknown>; // an object, as each OpenAPI document
const released = dereference(written) as Spec; // OpenAPI 3.0, as the linters check

/** The findings against the spec with one of its seeded changes. */
function breaksOf(edit: (document: Record<string, unknown>) => void): string[] {
  const changed = structuredClone(written);
  edit(changed);
  return findBreakingChanges(released, dereference(changed) as Spec);
}

test('the spec breaks no client of the last release (npm run contract:diff)', () => {
  expect(findReleaseBreaks()).toEqual([]);
});

describe('breaks clients', () => {
  test.each(Object.entries(BREAKING_CHANGES))('%s', (_name, edit) => {
    expect(breaksOf(edit)).not.toEqual([]);
  });
});

describe('breaks nothing', () => {
  test.each(Object.entries(HARMLESS_CHANGES))('%s', (_name, edit) => {
    expect(breaksOf(edit)).toEqual([]);
  });

  test('no change at all', () => {
    expect(findBreakingChanges(released, released)).toEqual([]);
  });
});
