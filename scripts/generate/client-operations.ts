/** Writes client-operations.ts: the operations of the TypeScript client, one function for each. `query` is by hand. */
import { type ClientOperation, readOperations, type Spec } from './python/spec-shapes.ts';

/** Where one of these is all that an operation needs, callers may pass it bare; an update needs what it changes. */
const ID = /^(knowledgeBase|document|file|webhook)Id$/;

const HEADER = `// This file is generated from spec/openapi.yaml: do not edit
import {
  toDocumentInput,
  toFileInput,
  toKnowledgeBaseInput,
  toWebhookInput,
} from '../src/client/operations/bare-id.ts';
import { deleteIdempotently } from '../src/client/operations/delete-idempotently.ts';
import { listPages, type PagePromise } from '../src/client/operations/page.ts';
import { createIdempotentOptions, type RequestOptions } from '../src/client/operations/request-options.ts';
import type { CallOptions, CreateOptions } from '../src/client/settings.ts';
import * as sdk from './sdk.gen.ts';
`;

const capitalise = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** The input of an operation: its name in a request, its type, and, where callers may pass a bare id, that. */
function inputOf({ id, method, args }: ClientOperation) {
  const name = method === 'GET' ? 'query' : 'body';
  const required = args.filter(({ isRequired }) => isRequired);
  const mayBeBare = required.length === 1 && !id.startsWith('update');
  const bareId = mayBeBare ? ID.exec(required[0]?.name ?? '')?.[1] : undefined;
  return { name, type: `${capitalise(id)}Data['${name}']`, required, bareId };
}

function writeParameters(operation: ClientOperation): string {
  const { name, type, required, bareId } = inputOf(operation);
  const call = `call: ${operation.hasKey ? 'CreateOptions' : 'CallOptions'} = {}`;
  if (operation.args.length === 0) return call;
  if (bareId !== undefined) return `${bareId}: ${type} | string, ${call}`;
  return required.length > 0 ? `${name}: ${type}, ${call}` : `${name}: NonNullable<${type}> = {}, ${call}`;
}

/** How long a request may wait at the service comes on top of the client's own limits. */
function writeOptions({ args, hasKey }: ClientOperation): string {
  if (hasKey) return 'idempotent(call)';
  const waits = args.some(({ name }) => name === 'waitSeconds');
  return waits ? 'options(call, { waitMs: (query.waitSeconds ?? 0) * 1000 })' : 'options(call)';
}

function writeBody(operation: ClientOperation): string {
  const { id, args, isList } = operation;
  const { name, bareId } = inputOf(operation);
  const send = (options: string) =>
    args.length === 0 ? `sdk.${id}(${options})` : `sdk.${id}({ ${name}, ...${options} })`;
  if (isList)
    return `return listPages(${name}, async (${name}) => (await ${send(writeOptions(operation))}).data);`;
  if (bareId === undefined || !id.startsWith('delete'))
    return `return (await ${send(writeOptions(operation))}).data.data;`;
  const code = `${bareId.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}_NOT_FOUND`;
  const target = `{ id: ${name}.${bareId}Id, notFoundCode: '${code}' }`;
  const sendOnce = `async (onLostAnswer) => (await ${send('options(call, { onLostAnswer })')}).data.data`;
  return `return await deleteIdempotently(${target}, ${sendOnce});`;
}

function writeOperation(operation: ClientOperation): string {
  const { id, summary, description, isList, payload } = operation;
  const { name, bareId } = inputOf(operation);
  const type = isList ? `PagePromise<${payload}>` : `Promise<${payload}>`;
  const about = isList ? `${summary}: a page when awaited, all with \`for await\`.` : `${summary}.`;
  const lines = `${about}\n\n${description.trim()}`.split('\n').map((line) => `   * ${line}`.trimEnd());
  const input = bareId && `    const ${name} = to${capitalise(bareId)}Input(${bareId});\n`;
  return `  /**
${lines.join('\n')}
   */
  ${isList ? '' : 'async '}${id}(${writeParameters(operation)}): ${type} {
${input ?? ''}    ${writeBody(operation)}
  },
`;
}

/** @throws when the spec has no such schema */
export function writeClientOperations(spec: Spec): string {
  const operations = readOperations(spec).filter(({ id }) => id !== 'query');
  const inputs = operations.filter(({ args }) => args.length > 0).map((each) => inputOf(each).type);
  const types = new Set([
    ...inputs.map((type) => type.replace(/\[.*/, '')),
    ...operations.map(({ payload }) => payload),
  ]);
  return `${HEADER}import type {
${[...types]
  .sort()
  .map((type) => `  ${type},\n`)
  .join('')}} from './types.gen.ts';

/** Every function returns the \`data\` of the answer. All can be repeated: what creates something has a key. */
export const createOperations = (
  options: RequestOptions,
  idempotent = createIdempotentOptions(options),
) => ({
${operations.map(writeOperation).join('')}});

export type Operations = ReturnType<typeof createOperations>;
`;
}
