/** A search as code to paste. The key is never part of it. */
import type { QueryRequest } from '../../client/index.ts';

/** 'a' → 'a' in single quotes, as a shell reads it. */
const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const toCurl = (address: string, request: QueryRequest): string =>
  [
    `curl -s ${shellWord(`${address}/v1/query`)} \\`,
    `  -H "x-api-key: $KNOWLEDGE_API_KEY" -H 'content-type: application/json' \\`,
    `  -d ${shellWord(JSON.stringify(request))}`,
  ].join('\n');

/** JSON with names as JavaScript writes them: {"a":1} → { a: 1 } */
const toLiteral = (value: unknown): string =>
  JSON.stringify(value, undefined, 2).replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:');

const toTypeScript = (address: string, request: QueryRequest): string =>
  `// npm install ./knowledge-retrieval-client-*.tgz, which npm run pack:client makes
import { createKnowledgeRetrieval } from 'knowledge-retrieval-client';

const knowledge = createKnowledgeRetrieval({
  baseUrl: ${JSON.stringify(address)},
});
const results = await knowledge.query(${toLiteral(request)});
for (const { score, title, content } of results) console.log(score, title, content);`;

/** A JSON value as Python writes it: true → True. */
function toPythonValue(value: unknown, indent = ''): string {
  const inner = `${indent}    `;
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null) return 'None';
  if (Array.isArray(value)) return `[${value.map((item) => toPythonValue(item, inner)).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, field]) => `${inner}${JSON.stringify(name)}: ${toPythonValue(field, inner)},\n`,
  );
  return `{\n${fields.join('')}${indent}}`;
}

/** `maxPerDocument` → `max_per_document`, as the client for Python names arguments. */
const toArgument = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const toPython = (address: string, request: QueryRequest): string =>
  `# pip install knowledge_retrieval-*.whl, which npm run pack:client -- --python makes
from knowledge_retrieval import KnowledgeRetrieval

with KnowledgeRetrieval(${JSON.stringify(address)}) as client:
    results = client.query(
${Object.entries(request)
  .filter(([, value]) => value !== undefined)
  .map(([name, value]) => `        ${toArgument(name)}=${toPythonValue(value, '        ')},\n`)
  .join('')}    )
    for result in results:
        print(result.score, result.title, result.content)`;

/** How many passages a query returns by default. The command has fewer. */
const LIMIT = 10;

/** The command's options of a request, with their values as a shell passes them on. */
function* commandOptions(request: QueryRequest): Generator<string> {
  for (const id of request.knowledgeBaseIds ?? []) yield `--kb ${shellWord(id)}`;
  for (const id of request.documentIds ?? []) yield `--document ${shellWord(id)}`;
  yield `--limit ${request.limit ?? LIMIT}`;
  if (request.mode !== undefined) yield `--mode ${request.mode}`;
  if (request.minScore !== undefined) yield `--min-score ${request.minScore}`;
  if (request.maxPerDocument !== undefined) yield `--max-per-document ${request.maxPerDocument}`;
  if (request.contextPassages) yield `--context ${request.contextPassages}`;
  if (request.prefix) yield '--prefix';
  if (request.filter !== undefined) yield `--filter ${shellWord(JSON.stringify(request.filter))}`;
  if (!request.distinct) yield '--copies';
}

const toCommand = (address: string, request: QueryRequest): string =>
  [
    'npx knowledge-retrieval search',
    ...commandOptions(request),
    `--url ${shellWord(address)}`,
    // A query may begin with a dash, as an option does.
    `-- ${shellWord(request.query)}`,
  ].join(' \\\n  ');

/** What the page alone asks for, to show where the words are and how a score came about. */
const withoutPageFields = ({
  highlight: _marks,
  explain: _reasons,
  ...request
}: QueryRequest): QueryRequest => request;

/** A search of the page in each language, by the language's name. */
export const codeOfSearch = (address: string, request: QueryRequest): Record<string, string> =>
  codeOf(address, withoutPageFields(request));

/** The request in each language, by the language's name. */
export const codeOf = (address: string, request: QueryRequest): Record<string, string> => ({
  curl: toCurl(address, request),
  TypeScript: toTypeScript(address, request),
  Python: toPython(address, request),
  Command: toCommand(address, request),
});
