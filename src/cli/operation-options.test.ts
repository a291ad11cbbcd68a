/** The command line can do what the interface can: each field of each operation has an option, or a reason for none. */
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { inputsOf, operations } from '../contract-check/spec/read-spec.ts';
import { keys } from './operators/key-commands.ts';
import { addPeopleCommands } from './people/people-commands.ts';

/** Why fields have no option. */
const REASONS = {
  ARGUMENT: 'an argument of the command',
  PAGES: 'the command reads all pages',
  ALWAYS: 'the command always asks for it, or has another default for people',
  FILE: 'a fact of the file that is imported',
  LATER: '`docs update` sets it',
  COMMAND: 'it has a command for each value',
} as const;

/**
 * The option of each field, or the reason for none. `importFile`, `presignUploadUrl` and `uploadFile` are three ways to
 * do what the command `import` does.
 */
const IMPORT = {
  knowledgeBaseId: '--kb',
  attributes: '--attributes',
  sourceUrl: 'LATER',
  externalId: '--prefix',
  ifUnchanged: 'ALWAYS',
  fileId: 'FILE',
  fileName: 'FILE',
  size: 'FILE',
  title: 'FILE',
  content: 'FILE',
  url: 'ARGUMENT',
};
const DOCUMENT = { documentId: 'ARGUMENT' };
const OPTIONS: Record<string, [command: string, fields: Record<string, string>]> = {
  query: [
    'search',
    {
      query: 'ARGUMENT',
      knowledgeBaseIds: '--kb',
      limit: '--limit',
      prefix: '--prefix',
      mode: '--mode',
      rerank: '--no-rerank',
      documentIds: '--document',
      filter: '--filter',
      maxPerDocument: '--max-per-document',
      distinct: '--copies',
      minScore: '--min-score',
      contextPassages: '--context',
      highlight: 'ALWAYS',
      explain: '--explain',
      fields: 'ALWAYS',
    },
  ],
  importFile: ['import', IMPORT],
  presignUploadUrl: ['import', IMPORT],
  uploadFile: ['import', IMPORT],
  importTextContent: ['import', IMPORT],
  importUrl: ['import', IMPORT],
  createKnowledgeBase: ['kb create', { name: 'ARGUMENT', description: '--description' }],
  updateKnowledgeBase: [
    'kb rename',
    { knowledgeBaseId: 'ARGUMENT', name: 'ARGUMENT', description: '--description' },
  ],
  deleteKnowledgeBase: ['kb delete', { knowledgeBaseId: 'ARGUMENT' }],
  getKnowledgeBase: ['kb list', { knowledgeBaseId: 'PAGES' }],
  listKnowledgeBases: ['kb list', { limit: 'PAGES', cursor: 'PAGES' }],
  listAttributes: ['kb attributes', { knowledgeBaseId: 'ARGUMENT' }],
  listDocuments: [
    'docs list',
    {
      knowledgeBaseId: '--kb',
      limit: '--limit',
      cursor: 'PAGES',
      status: '--status',
      titleContains: '--title',
      externalId: '--path',
      filter: '--filter',
    },
  ],
  getDocument: ['docs show', DOCUMENT],
  getDocumentStatus: ['docs show', { ...DOCUMENT, waitSeconds: 'ALWAYS' }],
  getDocumentContent: ['docs text', { ...DOCUMENT, offset: 'PAGES', limit: 'PAGES' }],
  listPassages: ['docs text', { ...DOCUMENT, from: 'PAGES', to: 'PAGES', limit: 'PAGES', cursor: 'PAGES' }],
  presignDownloadUrl: ['docs download', DOCUMENT],
  updateDocument: [
    'docs update',
    { ...DOCUMENT, title: '--title', attributes: '--attributes', sourceUrl: '--source-url' },
  ],
  retryDocument: ['docs retry', DOCUMENT],
  deleteDocument: ['docs delete', DOCUMENT],
  getSynonyms: ['synonyms get', { knowledgeBaseId: '--kb' }],
  setSynonyms: ['synonyms set', { knowledgeBaseId: '--kb', groups: 'ARGUMENT' }],
  listQueries: ['queries list', { limit: '--limit' }],
  setQueryHistory: ['queries keep', { enabled: 'COMMAND' }],
  createWebhook: ['webhooks create', { url: 'ARGUMENT', events: '--event', knowledgeBaseIds: '--kb' }],
  listWebhooks: ['webhooks list', { limit: 'PAGES', cursor: 'PAGES' }],
  testWebhook: ['webhooks test', { webhookId: 'ARGUMENT' }],
  deleteWebhook: ['webhooks delete', { webhookId: 'ARGUMENT' }],
  getUsage: ['usage', {}],
  getBalance: ['usage', {}],
  createKey: [
    'keys create',
    {
      name: '--name',
      scope: '--scope',
      knowledgeBaseIds: '--knowledge-base',
      filter: '--filter',
      expiresInDays: '--expires-in-days',
    },
  ],
  listKeys: ['keys list', { limit: 'PAGES', cursor: 'PAGES' }],
  revokeKey: ['keys revoke', { keyId: 'ARGUMENT' }],
  createToken: ['token', { filter: '--filter', expiresIn: '--expires-in' }],
};

const program = new Command('knowledge-retrieval');
addPeopleCommands(program);
program.addCommand(keys);

/** The options of a command, such as `kb create`. */
function optionsOf(path: string): string[] {
  const found = path
    .split(' ')
    .reduce<Command | undefined>(
      (command, name) => command?.commands.find((each) => each.name() === name),
      program,
    );
  return found?.options.flatMap(({ long }) => long ?? []) ?? expect.fail(`there is no command ${path}`);
}

test.each(operations)('$operationId', (operation) => {
  const [path, fields] = OPTIONS[operation.operationId] ?? expect.fail('it has no command');
  const options = optionsOf(path);
  const missing = Object.keys(inputsOf(operation)).filter((field) => {
    const option = fields[field] ?? '';
    return !(option in REASONS || options.includes(option));
  });
  expect(missing).toEqual([]);
});
