/** Changes of spec/openapi.yaml with a known effect on clients, to test the comparison. */

/** An OpenAPI document or a part of it. */
type Node = Record<string, unknown>;
/**
 * Changes the document itself.
 * @throws when its path does not exist
 */
type Edit = (document: Node) => void;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** `path`: keys separated by blanks. Returns the node that contains the last key, and that key. */
function locate(document: Node, path: string): [Node, string] {
  const keys = path.split(' ');
  const last = keys.pop() ?? '';
  const holder = keys.reduce<unknown>((node, key) => (isNode(node) ? node[key] : undefined), document);
  if (!isNode(holder)) throw new Error(`nothing at ${path}`);
  return [holder, last];
}

/** Sets a different value. */
const set =
  (path: string, value: unknown): Edit =>
  (document) => {
    const [holder, key] = locate(document, path);
    if (JSON.stringify(holder[key]) === JSON.stringify(value))
      throw new Error(`${path} has this value already`);
    holder[key] = value;
  };

const remove =
  (path: string): Edit =>
  (document) => {
    const [holder, key] = locate(document, path);
    if (!(key in holder)) throw new Error(`nothing at ${path}`);
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
  };

/** Renames a key within its node. */
const rename =
  (path: string, name: string): Edit =>
  (document) => {
    const [holder, key] = locate(document, path);
    holder[name] = holder[key];
    remove(path)(document);
  };

function listAt(document: Node, path: string): unknown[] {
  const [holder, key] = locate(document, path);
  holder[key] ??= [];
  const list = holder[key];
  if (!Array.isArray(list)) throw new Error(`no list at ${path}`);
  return list;
}

const append =
  (path: string, value: unknown): Edit =>
  (document) => {
    listAt(document, path).push(value);
  };

const withdraw =
  (path: string, value: unknown): Edit =>
  (document) => {
    const list = listAt(document, path);
    if (!list.includes(value)) throw new Error(`${path} has no ${value}`);
    list.splice(list.indexOf(value), 1);
  };

const all =
  (...edits: Edit[]): Edit =>
  (document) => {
    for (const edit of edits) edit(document);
  };

const QUERY = 'paths /v1/query post';
const SCHEMAS = 'components schemas';
const REQUEST = `${SCHEMAS} QueryRequest`;
const JSON_BODY = 'content application/json';

/** Each change breaks some client that was correct before. */
export const BREAKING_CHANGES: Record<string, Edit> = {
  'an operation is gone': remove('paths /v1/getUsage'),
  'an operation has another path': rename('paths /v1/getUsage', '/v1/usage'),
  'an operation has another method': rename(QUERY, 'put'),
  'an operationId, and with it a function of the client, is renamed': set(`${QUERY} operationId`, 'search'),
  'a schema, and with it a type of the client, is renamed': all(
    rename(`${SCHEMAS} Usage`, 'Consumption'),
    set(`${SCHEMAS} UsageEnvelope properties data $ref`, '#/components/schemas/Consumption'),
  ),
  'a status is no longer documented': remove(`${QUERY} responses 402`),
  'default is no longer documented': remove(`${QUERY} responses default`),
  'a request takes another media type': rename(`${QUERY} requestBody ${JSON_BODY}`, 'application/xml'),
  'an answer has another media type': rename(`${QUERY} responses 200 ${JSON_BODY}`, 'text/csv'),
  'an answer loses a header': remove('components responses RateLimited headers Retry-After'),
  'a header may be missing': set('components headers RequestId required', false),
  'a header has another type': set('components headers RetryAfter schema', { type: 'string' }),
  'a body becomes required': set('paths /v1/getUsage get requestBody', {
    required: true,
    content: { 'application/json': { schema: { type: 'object' } } },
  }),
  'a new field is required': all(
    set(`${REQUEST} properties language`, { type: 'string' }),
    append(`${REQUEST} required`, 'language'),
  ),
  'an optional field becomes required': append(`${REQUEST} required`, 'limit'),
  'a field is no longer accepted': remove(`${REQUEST} properties limit`),
  'a field takes another type': set(`${REQUEST} properties limit type`, 'string'),
  'a field takes less': set(`${REQUEST} properties limit maximum`, 20),
  'a field takes no small values': set(`${REQUEST} properties limit minimum`, 2),
  'a text must be shorter': set(`${SCHEMAS} KnowledgeBaseName maxLength`, 50),
  'a text may not be empty': set(`${SCHEMAS} KnowledgeBaseDescription minLength`, 1),
  'a list must be shorter': set(`${REQUEST} properties knowledgeBaseIds maxItems`, 10),
  'a list may not be empty': set(`${REQUEST} properties knowledgeBaseIds minItems`, 1),
  'a text must match a pattern': set(`${SCHEMAS} KnowledgeBaseId pattern`, '^[0-9a-f-]{36}$'),
  'a text must have a format': set(`${SCHEMAS} KnowledgeBaseId format`, 'uuid'),
  'a field takes only some values': set(`${REQUEST} properties query enum`, ['a', 'b']),
  'a default changes': set(`${REQUEST} properties limit default`, 20),
  'items must be of another type': set(`${REQUEST} properties knowledgeBaseIds items`, {
    type: 'integer',
  }),
  'a new parameter is required': append('paths /v1/getUsage get parameters', {
    name: 'month',
    in: 'query',
    required: true,
    schema: { type: 'string' },
  }),
  'an optional parameter becomes required': set('components parameters WaitSeconds required', true),
  'a parameter is gone': remove('paths /v1/getDocumentStatus get parameters 1'),
  'a parameter moves to the headers': set('components parameters WaitSeconds in', 'header'),
  'a parameter takes less': set('components parameters PageLimit schema maximum', 100),
  'a parameter is written in another way': set('components parameters AskedDocument style', 'spaceDelimited'),
  'an answer loses a field': remove(`${SCHEMAS} SearchResult properties title`),
  'an answer loses an optional field': remove(`${SCHEMAS} Document properties pageCount`),
  'a field of an answer may be missing': withdraw(`${SCHEMAS} SearchResult required`, 'score'),
  'a field of an answer may be null': set(`${SCHEMAS} Timestamp nullable`, true),
  'a field of an answer has another type': set(`${SCHEMAS} SearchResult properties score type`, 'string'),
  'a whole number of an answer gets fractions': set(`${SCHEMAS} Count type`, 'number'),
  'a number of an answer gets larger': set(`${SCHEMAS} SearchResult properties score maximum`, 100),
  'a text of an answer gets longer': set(`${SCHEMAS} Pagination properties nextCursor maxLength`, 2000),
  'a time of an answer loses its format': remove(`${SCHEMAS} Timestamp format`),
  'a field of an answer gets a new value': append(`${SCHEMAS} DocumentStatus enum`, 'archived'),
  'a field of an answer gets any value': remove(`${SCHEMAS} DocumentType enum`),
  'a constant of an answer changes': set(`${SCHEMAS} UnauthorizedError properties errorCode enum`, [
    'NO_KEY',
  ]),
  'an answer gets a new alternative': append(
    `components responses AccountLimitExceeded ${JSON_BODY} schema oneOf`,
    { $ref: '#/components/schemas/UnauthorizedError' },
  ),
  'a map of an answer gets other values': set(
    `${SCHEMAS} UploadTicket properties headers additionalProperties`,
    {
      type: 'array',
    },
  ),
  'a list of an answer becomes an object': set(`${SCHEMAS} SearchResultsEnvelope properties data`, {
    type: 'object',
  }),
  'the key is sent by another name': set('components securitySchemes apiKey name', 'authorization'),
  'a second credential is required': set('security', [{ apiKey: [], token: [] }]),
  'a keyword is new, and unknown to the comparison': set(`${REQUEST} not`, { required: ['limit'] }),
};

/** No change breaks a client that was correct before. */
export const HARMLESS_CHANGES: Record<string, Edit> = {
  'a new operation': set('paths /v1/renameDocument', {
    post: { operationId: 'renameDocument', responses: {} },
  }),
  'a new optional field of a request': set(`${REQUEST} properties language`, {
    type: 'string',
    minLength: 1,
  }),
  'a new optional parameter': append('paths /v1/getUsage get parameters', {
    name: 'month',
    in: 'query',
    schema: { type: 'string' },
  }),
  'a new field of an answer': set(`${SCHEMAS} SearchResult properties language`, { type: 'string' }),
  'a new required field of an answer': all(
    set(`${SCHEMAS} SearchResult properties language`, { type: 'string' }),
    append(`${SCHEMAS} SearchResult required`, 'language'),
  ),
  'a new status': set(`${QUERY} responses 409`, { $ref: '#/components/responses/FileNotUploaded' }),
  'a new header of an answer': set(`${QUERY} responses 200 headers x-cost`, { schema: { type: 'integer' } }),
  'a new media type of a request': set(`${QUERY} requestBody content application/cbor`, {}),
  'a new media type of an answer': set(`${QUERY} responses 200 content text/csv`, {}),
  'a new schema': set(`${SCHEMAS} Month`, { type: 'string' }),
  'a new tag': append('tags', { name: 'admin' }),
  'other words': all(
    set(`${QUERY} description`, 'Searches.'),
    set(`${QUERY} summary`, 'Search'),
    set(`${SCHEMAS} Usage description`, 'What is used.'),
    set('components securitySchemes apiKey description', 'A key.'),
  ),
  'other examples': set(`${QUERY} requestBody ${JSON_BODY} examples`, { one: { value: { query: 'x' } } }),
  'a request takes more': all(
    set(`${REQUEST} properties limit maximum`, 100),
    set(`${REQUEST} properties limit minimum`, 0),
    remove(`${REQUEST} properties knowledgeBaseIds maxItems`),
    set(`${REQUEST} properties query maxLength`, 10_000),
  ),
  'a field of a request may be left out': withdraw(`${SCHEMAS} PresignUploadUrlRequest required`, 'fileName'),
  'a field of a request may be null': set(`${REQUEST} properties limit nullable`, true),
  'a field of a request takes fractions': set(`${REQUEST} properties limit type`, 'number'),
  'a request takes other fields': set(`${REQUEST} additionalProperties`, true),
  'a request has alternatives': set(`${REQUEST} properties knowledgeBaseIds`, {
    oneOf: [
      { type: 'array', maxItems: 100, items: { $ref: '#/components/schemas/KnowledgeBaseId' } },
      { $ref: '#/components/schemas/KnowledgeBaseId' },
    ],
  }),
  'an answer contains less': all(
    set(`${SCHEMAS} SearchResult properties score maximum`, 0.5),
    withdraw(`${SCHEMAS} DocumentErrorCode enum`, 'FILE_TOO_COMPLEX'),
    set(`${SCHEMAS} PassageCount maximum`, 1000),
  ),
  'an answer gets an alternative for clients that use something new': all(
    set(`${SCHEMAS} UnauthorizedError x-opt-in`, 'keys of a new kind'),
    append(`components responses AccountLimitExceeded ${JSON_BODY} schema oneOf`, {
      $ref: '#/components/schemas/UnauthorizedError',
    }),
  ),
  'an answer breaks clients on purpose': all(
    set(`${SCHEMAS} DocumentStatus x-breaking-change`, 'archived is new'),
    append(`${SCHEMAS} DocumentStatus enum`, 'archived'),
  ),
  'an optional field of an answer becomes required': append(`${SCHEMAS} Document required`, 'passageCount'),
  'a field of an answer gets a format': set(`${SCHEMAS} PassageId format`, 'uri-reference'),
  'no key is required': set(`paths /v1/getUsage get security`, []),
  'another server': set('servers', [{ url: 'https://kr.example.org' }]),
  'an extension': set(`${QUERY} x-cost`, 1),
};
