/** Damaged files of every format, by numbers: the same number is the same file. */
import { madeContainers } from '../../../src/extraction/testing/containers/made-containers.ts';
import { madeFiles } from '../../../src/extraction/testing/made-files.ts';
import { mutations } from '../../../src/extraction/testing/mutations.ts';
import { writeZip } from '../../../src/extraction/testing/write-zip.ts';
import { readSharedDocument, sharedDocuments } from './shared-documents.ts';

export type NamedFile = { fileName: string; bytes: Uint8Array };

/** Larger shared documents are not damaged: they would take most of the time. */
const SHARED_MAX_BYTES = 60_000;

/** Good files of every format: made ones, and where there are any, small ones of other programs. */
async function goodFiles(): Promise<[name: string, bytes: Buffer][]> {
  const shared = await Promise.all(
    sharedDocuments
      .filter(({ outcome, tier }) => outcome === 'text' && tier !== 'legacy')
      .map(async ({ file }): Promise<[string, Buffer]> => [file, await readSharedDocument(file)]),
  );
  const small = shared.filter(([, { length }]) => length <= SHARED_MAX_BYTES);
  return [...Object.entries({ ...madeFiles(), ...madeContainers() }), ...small];
}

/** Makes the damaged file of a number. Successive numbers take the formats in turn, then other damage. */
export async function createMutator(): Promise<(number: number) => NamedFile> {
  const goods = await goodFiles();
  return (number) => {
    const [name, good] = goods[number % goods.length] as (typeof goods)[number]; // there are made files
    const [mutated] = mutations(good, { seed: Math.floor(number / goods.length), count: 1 });
    return { fileName: `${number}-${name}`, bytes: mutated?.bytes ?? good };
  };
}

/** A ZIP archive of these files, and one more with this text, which readers of archives reach last. */
export const archiveOf = (files: NamedFile[], lastText: string): Uint8Array =>
  writeZip([
    ...files.map(({ fileName, bytes }) => ({ name: fileName, content: bytes })),
    { name: 'zz-last.txt', content: lastText },
  ]);
