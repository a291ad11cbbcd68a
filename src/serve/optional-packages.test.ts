/** Which packages settings demand, and what a start says where they are missing. */
import manifest from 'knowledge-retrieval/package.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { loadDemanding, STORE_PACKAGES, TRACES_PACKAGES } from './optional-packages.ts';

const s3 = { bucket: 'files', endpoint: undefined, region: undefined };
const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });

test('each optional package is one that a setting demands, is optional, and is installed for the tests', () => {
  const names = Object.keys(manifest.peerDependencies);
  expect([...STORE_PACKAGES, ...TRACES_PACKAGES].toSorted()).toEqual(names.toSorted());
  expect(manifest.peerDependenciesMeta).toEqual(
    Object.fromEntries(names.map((name) => [name, { optional: true }])),
  );
  expect(manifest.devDependencies).toMatchObject(manifest.peerDependencies);
});

test('one command installs the packages of all settings; another failure stays as it is', async () => {
  const load = (settings: Parameters<typeof loadDemanding>[0], error: Error) =>
    loadDemanding(settings, () => Promise.reject(error)).catch(({ message }) => message);
  const both = await load({ s3, isTracing: true }, missing);
  expect(both).toContain('S3_BUCKET and OTEL_EXPORTER_OTLP_ENDPOINT: ');
  for (const [name, version] of Object.entries(manifest.peerDependencies))
    expect(both.split('npm install')[1]).toContain(`"${name}@${version}"`);
  expect(await load({ s3, isTracing: false }, missing)).not.toContain('opentelemetry');
  expect(await load({ s3, isTracing: false }, new Error('out of memory'))).toBe('out of memory');
});
