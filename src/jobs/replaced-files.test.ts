/** Files with an external id: the order of their imports decides, in whatever order their jobs end. */
import { expect, test } from 'vitest';
import { useUnattendedImports } from '../serve/testing/unattended-imports.ts';
import { importFile } from './importing/import-file.ts';
import { attempt } from './testing/attempt.ts';

const suite = useUnattendedImports();
const { call, importPending, search, statusOf } = suite;

/** Imports the next version of one document. Returns its id; the version is pending. */
const importVersion = (content: string) => importPending('quokka.txt', content, { externalId: 'quokka' });
const run = (documentId: string) => importFile(suite.service, attempt(documentId));
const isGone = async (documentId: string) =>
  (await call(`getDocument?documentId=${documentId}`)).body.errorCode === 'DOCUMENT_NOT_FOUND';

test('the older one is found until the newer one is processed, and then never again', async () => {
  const [first, second] = [
    await importVersion('The first quokka.'),
    await importVersion('The second quokka.'),
  ];
  expect(await search('quokka')).toEqual([]);
  await run(first);
  expect(await search('quokka')).toEqual(['The first quokka.']);
  await run(second);
  expect(await search('quokka')).toEqual(['The second quokka.']);
  expect(await statusOf(second)).toMatchObject({ status: 'processed' });
  expect(await isGone(first)).toBe(true);
  expect((await call(`getDocument?documentId=${second}`)).body.data.replaces).toBe(first);
});

test('the job of an older one that runs after the newer one does nothing', async () => {
  const [first, second] = [
    await importVersion('The first quokka.'),
    await importVersion('The second quokka.'),
  ];
  await run(second);
  await run(first);
  expect(await search('quokka')).toEqual(['The second quokka.']);
  expect(await isGone(first)).toBe(true);
});

test('the newer one replaces an older one that is being stored', async () => {
  const [first, second] = [
    await importVersion(`The first quokka. ${'It smiles. '.repeat(40_000)}`),
    await importVersion('The second quokka.'),
  ];
  const storing = run(first).catch(() => undefined); // a deletion aborts it
  await run(second);
  await storing;
  expect(await search('quokka')).toEqual(['The second quokka.']);
  expect(await isGone(first)).toBe(true);
});

test('an older one that is read again replaces what was before it, and no newer one', async () => {
  const { service } = suite;
  const failure = { code: 'FILE_ENCRYPTED', message: 'The file needs a password.' } as const;
  const failing = { ...service, extract: async () => ({ type: 'txt' as const, failure }) };
  const before = await importVersion('The oldest quokka.');
  await run(before);
  const failed = await importVersion('The failed quokka.');
  await importFile(failing, attempt(failed));
  const newer = await importVersion('The newest quokka.');
  expect(await search('quokka')).toEqual(['The oldest quokka.']);
  expect((await call('retryDocument', { documentId: failed })).body.data.status).toBe('pending');
  await run(failed);
  expect(await search('quokka')).toEqual(['The failed quokka.']);
  await run(newer);
  expect(await search('quokka')).toEqual(['The newest quokka.']);

  const next = await importVersion('The next quokka.');
  await importFile(failing, attempt(next));
  const last = await importVersion('The last quokka.');
  await call('retryDocument', { documentId: next });
  await run(last);
  await run(next);
  expect(await search('quokka')).toEqual(['The last quokka.']);
  expect(await isGone(next)).toBe(true);
});

test('a file that gets another title meanwhile replaces the older one under that title', async () => {
  await run(await importVersion('The first quokka.'));
  const second = await importVersion('The second quokka.');
  await call('updateDocument', { documentId: second, title: 'Rottnest' });
  await run(second);
  expect(await search('rottnest quokka')).toEqual(['The second quokka.']);
});
