/** Shows the spec at /docs with Swagger UI. Runs in the browser. */
import { noteAnswer, withOwnIds } from './own-ids.mjs';
import { plugins, replaceSpec } from './swagger-ui-insides.mjs';

/**
 * Tags and operations in the order in which a newcomer needs them. Operations that are missing here come last.
 */
const ORDER = {
  'knowledge-bases': [
    ...['createKnowledgeBase', 'listKnowledgeBases', 'getKnowledgeBase', 'updateKnowledgeBase'],
    'deleteKnowledgeBase',
  ],
  documents: [
    ...[
      'importTextContent',
      'listDocuments',
      'listAttributes',
      'getDocumentStatus',
      'getDocument',
      'listPassages',
    ],
    ...['getDocumentContent', 'updateDocument', 'retryDocument'],
    'deleteDocument',
  ],
  uploads: ['uploadFile', 'presignUploadUrl', 'importFile', 'importUrl', 'presignDownloadUrl'],
  search: ['query', 'getSynonyms', 'setSynonyms', 'listQueries', 'setQueryHistory'],
  webhooks: ['createWebhook', 'testWebhook', 'listWebhooks', 'deleteWebhook'],
  account: ['getUsage', 'getBalance', 'createToken', 'createKey', 'listKeys', 'revokeKey'],
};

/** Sorts `items` by the position of `nameOf(item)` in `names`. Items without a position come last. */
function inOrder(items, names, nameOf) {
  const positionOf = (item) => (names.includes(nameOf(item)) ? names.indexOf(nameOf(item)) : names.length);
  return items.toSorted((a, b) => positionOf(a) - positionOf(b));
}

/** Each line of a description is shown as a line of its own. */
const HINT = [
  '**To try it out**: sign in to the [console](.), or press Authorize and enter your key. Then press Try it out and ' +
    'Execute in an operation.',
  'Begin with `createKnowledgeBase`: the examples of the other operations then hold the ids of what you create here.',
].join('\n');

const KEY_HINT = [
  '**Your key**: the first start of the server writes one to the file `.data/api-key`. The command',
  "`npx knowledge-retrieval keys create` makes more. Both are on the server's machine, so else ask its operator.",
].join('\n');

/** What an operation demands of a key, by its x-required-scope. */
const DEMANDS = {
  search: 'Any key may call this.',
  unfiltered: 'Any key without a filter may call this.',
  write: 'It needs a key with the scope `write`.',
  account: 'It needs a key with the scope `write` that is not bound to single knowledge bases.',
};

/** The operations of a path, each with the sentence about its keys. */
const withDemand = ([path, methods]) => [
  path,
  Object.fromEntries(
    Object.entries(methods).map(([method, operation]) => {
      const isFor =
        operation['x-keys-with-filter'] === 'refused' ? 'unfiltered' : operation['x-required-scope'];
      const demand = DEMANDS[isFor];
      return [method, { ...operation, description: `${operation.description}\n\n${demand}` }];
    }),
  ),
];

/**
 * Loads the spec, with the address of this page as its server. That works with any proxy, and the content security
 * policy allows no other address.
 */
async function loadSpec() {
  const spec = await (await fetch('openapi.json')).json();
  // With the same key, each further try would return the first answer or be refused.
  delete spec.components.parameters.IdempotencyKey.example;
  const { apiKey } = spec.components.securitySchemes;
  apiKey.description = `${KEY_HINT}\n\n${apiKey.description}`;
  const operationOf = ([, methods]) => Object.values(methods)[0].operationId;
  return {
    ...spec,
    info: { ...spec.info, description: `${spec.info.description}\n\n${KEY_HINT}\n\n${HINT}` },
    servers: [{ url: new URL('.', location.href).href.replace(/\/$/, '') }],
    tags: inOrder(spec.tags, Object.keys(ORDER), ({ name }) => name),
    paths: Object.fromEntries(
      inOrder(Object.entries(spec.paths), Object.values(ORDER).flat(), operationOf).map(withDemand),
    ),
  };
}

/** Swagger UI has its own dark colours. The colours of code are chosen once, when the page loads. */
const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
document.documentElement.classList.toggle('dark-mode', isDark);

const spec = await loadSpec();
const ids = { knowledgeBaseId: [], documentId: [], fileId: [], webhookId: [] };

const ui = SwaggerUIBundle({
  spec,
  dom_id: '#reference',
  plugins,
  filter: true,
  deepLinking: true,
  displayRequestDuration: true,
  requestSnippetsEnabled: true,
  // The list of all schemas is hidden: each operation shows the schemas that it uses.
  defaultModelsExpandDepth: -1,
  defaultModelExpandDepth: 4,
  syntaxHighlight: { theme: isDark ? 'nord' : 'idea' },
  // Send nothing to swagger.io, and keep no key after the page is closed.
  validatorUrl: null,
  persistAuthorization: false,
  // Who is signed in to the console is so here: its cookie stands for the key. The code that is shown is for programs.
  requestInterceptor(request) {
    request.headers = { 'x-api-key': 'console', ...request.headers };
    return request;
  },
  showMutatedRequest: false,
  responseInterceptor(response) {
    if (noteAnswer(ids, response)) replaceSpec(ui, withOwnIds(spec, ids));
    return response;
  },
});
