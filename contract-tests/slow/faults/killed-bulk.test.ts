/** A server that is killed in the middle of a bulk import: the command goes on by itself after the next start. */
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { Document, KnowledgeBase, SearchResult } from '../../../generated/types.gen.ts';
import { startCommand } from '../../harness/service/command-line.ts';
import { withServiceDatabase } from '../../harness/service/service-database.ts';
import * as service from '../../harness/service/service-process.ts';

const FILES = 300;
/** Two starts, the import, and the end of the leases of the killed server. */
const TIMEOUT_MS = 300_000;

/** Past the server, whose answers would delay its own work. */
const countProcessed = (at: service.RunningService): Promise<number | null> =>
  withServiceDatabase(
    at,
    async (client) => (await client.query("SELECT FROM documents WHERE status = 'processed'")).rowCount,
  );

async function writeFiles(folder: string): Promise<string[]> {
  await mkdir(folder);
  const names = Array.from({ length: FILES }, (_, i) => `note-${i}.md`);
  for (const [i, name] of names.entries())
    await writeFile(join(folder, name), `# Note ${i}\n\nThe bittern number${i} booms.`);
  return names.toSorted();
}

/** Starts the command that imports the folder. The returned function waits for its end. */
function startImport({ address, apiKey, dataDirectory }: service.RunningService, folder: string) {
  const environment = { KNOWLEDGE_URL: address, KNOWLEDGE_API_KEY: apiKey };
  const command = startCommand(
    service.environmentOf(dataDirectory, environment),
    ...['import', folder, '--kb', 'Notes'],
  );
  const ended = Promise.all([text(command.stdout), text(command.stderr), once(command, 'exit')]);
  return async () => {
    const [output, complaints, [code]] = await ended;
    return { output, complaints, code };
  };
}

test(
  `${FILES} Markdown files, whose server is killed in between: each is there once, and is found`,
  () =>
    service.withDataDirectory(async (dataDirectory) => {
      const folder = join(dataDirectory, 'notes');
      const names = await writeFiles(folder);
      const killed = await service.startService(dataDirectory);
      const untilEnd = startImport(killed, folder);
      await expect.poll(() => countProcessed(killed), { interval: 20 }).toBeGreaterThan(FILES / 10);
      await killed.kill();
      const settings = { PORT: new URL(killed.address).port };
      const next = await service.startService(dataDirectory, { settings });
      expect(await countProcessed(next)).toBeLessThan(FILES);
      const { output, complaints, code } = await untilEnd();
      expect(code, complaints).toBe(0);
      // The command repeats a request whose answer it has lost. A file that this one has imported is unchanged.
      const [, imported, unchanged = 0] = /^Notes: (\d+) imported(?:, (\d+) unchanged)?,/.exec(output) ?? [];
      expect(Number(imported) + Number(unchanged), output).toBe(FILES);
      const [knowledgeBase] = await service.call<KnowledgeBase[]>(next, 'listKnowledgeBases');
      const list = `listDocuments?knowledgeBaseId=${knowledgeBase?.id}`;
      const documents = await service.call<Document[]>(next, list);
      expect(documents.map(({ externalId }) => externalId).toSorted()).toEqual(names);
      expect(new Set(documents.map(({ status }) => status))).toEqual(new Set(['processed']));
      for (let i = 0; i < FILES; i += 37) {
        const found = await service.call<SearchResult[]>(next, 'query', { query: `number${i}` });
        expect(found.map(({ title }) => title)).toContain(`note-${i}.md`);
      }
      await next.stop();
    }),
  TIMEOUT_MS,
);
