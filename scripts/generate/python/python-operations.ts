/** Writes _operations.py: the operations as methods, once for each client. */
import { type Classes, docstring, modelOf, typeOf } from './python-text.ts';
import { findClasses } from './python-types.ts';
import { type Argument, type ClientOperation, type Spec, toPythonName } from './spec-shapes.ts';

const header = (
  types: string[],
): string => `"""The operations of the service. Generated from its spec: do not edit."""

from __future__ import annotations

from typing import Any, List, Mapping, Sequence, Union

from ._core.calls import Operation
from ._core.pages import AsyncPages, Pages, SearchResults
from .types import (
${types.map((type) => `    ${type},\n`).join('')})
`;

const LIMITS = [
  'timeout: float | None = None',
  'deadline: float | None = None',
  'retries: int | None = None',
];

/** Where one argument is required, it may be passed by position; all others are passed by name. */
function writeParameters({ args, hasKey }: ClientOperation, classes: Classes): string {
  const write = ({ name, schema, isRequired }: Argument) =>
    `${toPythonName(name)}: ${typeOf(schema, 'input', classes)}${isRequired ? '' : ' | None = None'}`;
  const required = args.filter(({ isRequired }) => isRequired).map(write);
  const optional = args.filter(({ isRequired }) => !isRequired).map(write);
  const key = hasKey ? ['idempotency_key: str | None = None'] : [];
  const named = [
    ...(required.length === 1 ? [...required, '*'] : ['*', ...required]),
    ...optional,
    ...key,
    ...LIMITS,
  ];
  return ['self', ...named].map((parameter) => `        ${parameter},\n`).join('');
}

function describe({ summary, description, args }: ClientOperation): string {
  const facts = args
    .filter((argument) => argument.description !== '')
    .map(({ name, description: text }) => `${toPythonName(name)}: ${text.replaceAll(/\s+/g, ' ').trim()}`);
  return docstring([`${summary}.`, description, ...facts].join('\n\n'), '        ');
}

type Kind = 'sync' | 'async';

function returnType({ id, isList, payload }: ClientOperation, kind: Kind): string {
  if (id === 'query') return 'SearchResults';
  if (!isList) return payload;
  return `${kind === 'sync' ? 'Pages' : 'AsyncPages'}[${payload}]`;
}

function writeCall(operation: ClientOperation): string {
  const { id, isList, args, hasKey } = operation;
  const fields = args.map(({ name }) => `            "${name}": ${toPythonName(name)},\n`).join('');
  const passed = fields === '' ? '{}' : `{\n${fields}        }`;
  const name = id === 'query' ? '_search' : isList ? '_list' : '_call';
  const key = hasKey ? ', idempotency_key' : '';
  return `self.${name}(OPERATIONS["${id}"], ${passed}, (timeout, deadline, retries)${key})`;
}

function writeMethod(operation: ClientOperation, kind: Kind, classes: Classes): string {
  const isAsync = kind === 'async' && !operation.isList;
  const head =
    `    ${isAsync ? 'async def' : 'def'} ${toPythonName(operation.id)}(\n` +
    `${writeParameters(operation, classes)}`;
  const type = returnType(operation, kind);
  const call = writeCall(operation);
  const isPlain = !operation.isList && operation.id !== 'query';
  const body = isPlain
    ? `        answer: ${type} = ${isAsync ? 'await ' : ''}${call}\n        return answer\n`
    : `        return ${isAsync ? 'await ' : ''}${call}\n`;
  return `${head}    ) -> ${type}:\n${describe(operation)}${body}`;
}

/** What the clients define, and the operations call. */
function writeHooks(kind: Kind): string {
  const start = kind === 'sync' ? 'def' : 'async def';
  const given = 'self, operation: Operation, fields: Mapping[str, Any], limits: tuple[Any, ...]';
  const write = (head: string) => `    ${head}:\n        raise NotImplementedError\n`;
  return [
    write(`${start} _call(${given}, key: str | None = None) -> Any`),
    write(`${start} _search(${given}) -> SearchResults`),
    write(`def _list(${given}) -> ${kind === 'sync' ? 'Pages' : 'AsyncPages'}[Any]`),
  ].join('\n');
}

const writeClass = (operations: ClientOperation[], kind: Kind, classes: Classes): string =>
  `class ${kind === 'sync' ? 'Operations' : 'AsyncOperations'}:
    """The operations, each with its arguments by name."""

${[writeHooks(kind), ...operations.map((operation) => writeMethod(operation, kind, classes))].join('\n')}`;

/** The names of types in the text, except the types of the standard library and of the package itself. */
function namesIn(text: string, spec: Spec): string[] {
  const known = new Set(Object.keys(spec.components.schemas).flatMap((name) => [name, `${name}Input`]));
  return [...new Set(text.match(/\b[A-Z]\w+\b/g))].filter((name) => known.has(name)).sort();
}

export function writeOperations(spec: Spec, operations: ClientOperation[]): string {
  const { classes } = findClasses(spec, operations);
  const table = operations.map(
    ({ id, method, payload, hasKey }) =>
      `    "${id}": Operation("${id}", "${method}", ` +
      `${modelOf({ $ref: `/${payload}` }, spec)}${hasKey ? ', True' : ''}),\n`,
  );
  const kinds = ['sync', 'async'] as const;
  const text = `OPERATIONS = {
${table.join('')}}


${kinds.map((kind) => writeClass(operations, kind, classes)).join('\n\n')}`;
  const signatures = text.replaceAll(/"""[\s\S]*?"""/g, '');
  return `${header(namesIn(signatures, spec))}\n${text}`;
}
