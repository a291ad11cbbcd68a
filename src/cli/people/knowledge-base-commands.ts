/** The commands for knowledge bases. */
import { Command } from 'commander';
import type { AttributesSummary, KnowledgeBase } from '../../../generated/types.gen.ts';
import type { KnowledgeRetrieval } from '../../client/client.ts';
import { formatBytes, formatMinute, pluralise } from '../../terminal/formats.ts';
import { printTable } from '../../terminal/table.ts';
import { note, print, printJson, toVisibleLine } from '../../terminal/terminal.ts';
import { confirm } from '../confirm.ts';
import { type JsonOption, withJson } from '../options.ts';
import { requireKnowledgeBase } from '../service/find-knowledge-base.ts';
import { connect, type RemoteOptions, withRemote } from '../service/remote-service.ts';

type Options = RemoteOptions & JsonOption;

export const knowledgeBases = new Command('kb').description(
  'knowledge bases: list, create, rename and delete them, and show their attributes',
);

withRemote(withJson(knowledgeBases.command('list')))
  .description('list all, with the numbers of their documents and passages')
  .action(async ({ json, ...remote }: Options) => {
    const list = (await connect(remote)).listKnowledgeBases();
    if (json) {
      for await (const knowledgeBase of list) printJson(knowledgeBase);
      return;
    }
    let withoutVectors = 0;
    const rows = async function* () {
      for await (const { id, name, createdAt, ...counts } of list) {
        const { documentCount = 0, passageCount = 0, storageUsed = 0, documentsWithoutVectors = 0 } = counts;
        withoutVectors += documentsWithoutVectors;
        yield {
          id,
          documents: String(documentCount),
          passages: String(passageCount),
          storage: formatBytes(storageUsed),
          created: formatMinute(createdAt),
          name,
        };
      }
    };
    if ((await printTable(rows())) === 0) note('There are none yet: `kb create` and `import` make one.');
    if (withoutVectors > 0)
      note(`${pluralise(withoutVectors, 'document')} cannot be found by meaning yet: only by words.`);
  });

/** Whether another knowledge base has the same name: then it names none of them. */
async function hasTwin(client: KnowledgeRetrieval, { id, name }: KnowledgeBase): Promise<boolean> {
  for await (const other of client.listKnowledgeBases())
    if (other.name === name && other.id !== id) return true;
  return false;
}

withRemote(withJson(knowledgeBases.command('create')))
  .description('create one, and print its id')
  .argument('<name>', 'for people; it need not be unique')
  .option('--description <text>', 'what it is for; agents read it to choose where to search')
  .action(async (name: string, { json, description, ...remote }: Options & { description?: string }) => {
    const request = { name, ...(description !== undefined && { description }) };
    const client = await connect(remote);
    const created = await client.createKnowledgeBase(request);
    if (json) printJson(created);
    else print(created.id);
    if (await hasTwin(client, created))
      note(
        toVisibleLine(
          `Another knowledge base is named "${name}" too: commands need the id of the one you mean.`,
        ),
      );
  });

withRemote(withJson(knowledgeBases.command('rename')))
  .description('give one another name')
  .argument('<knowledge-base>', 'its id or name')
  .argument('<name>', 'the new name')
  .option('--description <text>', 'also another description')
  .action(async (given: string, name: string, options: Options & { description?: string }) => {
    const { json, description, ...remote } = options;
    const client = await connect(remote);
    const { id: knowledgeBaseId, name: before } = await requireKnowledgeBase(client, given);
    const renamed = await client.updateKnowledgeBase({
      knowledgeBaseId,
      name,
      ...(description !== undefined && { description }),
    });
    if (json) printJson(renamed);
    else print(toVisibleLine(`The knowledge base "${before}" is now "${renamed.name}".`));
  });

withRemote(withJson(knowledgeBases.command('delete')))
  .description('delete one with all its documents; asks first')
  .argument('<knowledge-base>', 'its id or name')
  .option('--yes', 'do not ask')
  .action(async (given: string, { json, yes, ...remote }: Options & { yes?: boolean }) => {
    const client = await connect(remote);
    const { id, name, documentCount = 0 } = await requireKnowledgeBase(client, given);
    await confirm(`Delete the knowledge base "${name}" with ${pluralise(documentCount, 'document')}?`, yes);
    const deleted = await client.deleteKnowledgeBase(id);
    if (json) printJson(deleted);
    else print(toVisibleLine(`The knowledge base "${name}" is deleted.`));
  });

const toRows = ({ attributes }: AttributesSummary) =>
  attributes.flatMap(({ name, types }) =>
    types.map(({ type, documentCount, valueCount, values }) => ({
      name,
      type,
      documents: String(documentCount),
      values: String(valueCount),
      'most frequent': values
        .map(({ value, documentCount: of }) => `${JSON.stringify(value)} (${of})`)
        .join(', '),
    })),
  );

withRemote(withJson(knowledgeBases.command('attributes')))
  .description('show which attributes its documents have, to filter by: names, types and values')
  .argument('<knowledge-base>', 'its id or name')
  .action(async (given: string, { json, ...remote }: Options) => {
    const client = await connect(remote);
    const summary = await client.listAttributes((await requireKnowledgeBase(client, given)).id);
    if (json) {
      printJson(summary);
      return;
    }
    if ((await printTable(toRows(summary))) === 0) note('Its documents have no attributes.');
    if (!summary.isComplete)
      note(`Only the newest ${pluralise(summary.countedDocuments, 'document')} were counted.`);
  });
