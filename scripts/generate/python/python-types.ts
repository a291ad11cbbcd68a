/** Writes types.py: a class for each object of an answer, a TypedDict for each object of a request. */
import { type Classes, docstring, inputName, isNamed, modelOf, typeOf } from './python-text.ts';
import {
  type Argument,
  type ClientOperation,
  nameOf,
  reachable,
  type Schema,
  type Spec,
  toPythonName,
} from './spec-shapes.ts';

const HEADER = `"""Types of the service's requests and answers. Generated from its spec: do not edit."""

from __future__ import annotations

from typing import Any, List, Literal, Mapping, Sequence, TypedDict, Union

from ._core.model import Model
`;

const isObject = (schema: Schema): boolean => schema.type === 'object' && schema.properties !== undefined;

/** An object of an answer. */
function writeModel(name: string, schema: Schema, classes: Classes): string {
  const { properties = {}, required = [] } = schema;
  const fields = Object.entries(properties).map(([wire, field]) => {
    const optional = required.includes(wire) && !field.nullable ? '' : ' | None';
    const type = `${typeOf(field, 'output', classes)}${optional}`;
    return `    ${toPythonName(wire)}: ${type}\n${docstring(field.description ?? '', '    ')}`;
  });
  const wires = Object.entries(properties).map(([wire, field]) => {
    const model = modelOf(field, classes.spec);
    return `        "${toPythonName(wire)}": ${model === undefined ? `"${wire}"` : `("${wire}", ${model})`},\n`;
  });
  const needed = required.map((wire) => `"${toPythonName(wire)}"`);
  return `class ${name}(Model):
${docstring(schema.description ?? name, '    ')}
${fields.join('')}
    _fields = {\n${wires.join('')}    }
    _required = frozenset((${needed
      .map((each) => `${each}, `)
      .join('')
      .trimEnd()}))
`;
}

/** An object that a caller passes. Its names are the names in JSON: none of them has two words. */
function writeInput(name: string, schema: Schema, classes: Classes): string {
  const { properties = {}, required = [] } = schema;
  const split = (wanted: boolean) =>
    Object.entries(properties)
      .filter(([wire]) => required.includes(wire) === wanted)
      .map(
        ([wire, field]) =>
          `    ${wire}: ${typeOf(field, 'input', classes)}\n${docstring(field.description ?? '', '    ')}`,
      )
      .join('');
  const text = docstring(schema.description ?? name, '    ');
  const optional = split(false);
  if (optional === '') return `class ${name}(TypedDict):\n${text}\n${split(true)}`;
  return `class _${name}(TypedDict):\n${split(true)}\n\nclass ${name}(_${name}, total=False):\n${text}\n${optional}`;
}

/** The optional arguments of an operation, for functions that do more than it. */
const writeOptions = (name: string, args: Argument[], classes: Classes): string =>
  `class ${name}(TypedDict, total=False):
    """Facts about the document."""

${args
  .filter(({ isRequired }) => !isRequired)
  .map(
    ({ name: wire, schema, description }) =>
      `    ${toPythonName(wire)}: Union[${typeOf(schema, 'input', classes)}, None]\n${docstring(description, '    ')}`,
  )
  .join('')}`;

/** The classes of a union by the values of \`type\`. */
function writeUnion(name: string, schema: Schema, { spec }: Classes): string {
  const constant = toPythonName(name).slice(1).toUpperCase();
  const entries = (schema.oneOf ?? []).flatMap(({ $ref = '' }) => {
    const { enum: values = [] } = spec.components.schemas[nameOf($ref)]?.properties?.type ?? {};
    return values.map((value) => `    "${value}": ${nameOf($ref)},\n`);
  });
  return `${constant}_BY_TYPE: Mapping[str, Any] = {\n${entries.join('')}}\n`;
}

/** Writes a class only after those that it names at once: its fields' classes. */
function inOrder(names: string[], spec: Spec): string[] {
  const done = new Set<string>();
  const visit = (name: string): void => {
    if (done.has(name)) return;
    done.add(name);
    const schema = spec.components.schemas[name] ?? {};
    for (const field of Object.values(schema.properties ?? {})) {
      const model = modelOf(field, spec);
      if (model !== undefined) visit(model);
    }
    done.delete(name);
    done.add(name);
  };
  names.forEach(visit);
  return [...done].filter((name) => names.includes(name));
}

/** The operations whose options other functions take too. */
const WITH_OPTIONS = { importFile: 'ImportFileOptions', importTextContent: 'ImportTextContentOptions' };

/** The schemas of answers that no operation names: the events of webhooks, and the codes of errors. */
const UNASKED = ['Pagination', 'QueryWarning', 'WebhookEvent', 'ErrorCode'];

export function findClasses(spec: Spec, operations: ClientOperation[]) {
  const inputs = reachable(
    spec,
    operations.flatMap(({ args }) => args.map(({ schema }) => schema)),
  );
  const answered = [...operations.map(({ payload }) => payload), ...UNASKED];
  const outputs = reachable(
    spec,
    answered.map((name) => ({ $ref: `/${name}` })),
  );
  return { inputs, outputs, classes: { spec, both: inputs.intersection(outputs) } };
}

export function writeTypes(spec: Spec, operations: ClientOperation[]): string {
  const { inputs, outputs, classes } = findClasses(spec, operations);
  const { schemas } = spec.components;
  const named = Object.entries(schemas).filter(
    ([name, schema]) => isNamed(schema) && (inputs.has(name) || outputs.has(name)),
  );
  const objects = named.filter(([, schema]) => isObject(schema));
  const unions = named.filter(([, schema]) => !isObject(schema));
  const models = inOrder(
    objects.map(([name]) => name).filter((name) => outputs.has(name)),
    spec,
  );
  const direction = (name: string) => (inputs.has(name) ? 'input' : 'output');
  // Python reads the values of aliases at once: what comes later stands in quotes.
  const aliases = unions.map(([name, schema]) => {
    const type = typeOf(schema, direction(name), classes);
    const isPlain = schema.enum !== undefined;
    const quoted = isPlain
      ? type
      : type.replaceAll(/(?<![\w"])(?!Union|Sequence|List|Mapping|Literal)([A-Z]\w+)/g, '"$1"');
    const text =
      (schema.description ?? name)
        .trim()
        .split(/\n\s*\n/)[0]
        ?.replaceAll(/\s+/g, ' ') ?? '';
    return `${comment(text)}${name} = ${quoted}\n`;
  });
  const parts = [
    ...aliases.map((text) => text),
    ...objects
      .filter(([name]) => inputs.has(name))
      .map(([name, schema]) => writeInput(inputName(name, classes), schema, classes)),
    ...models.map((name) => writeModel(name, schemas[name] ?? {}, classes)),
    ...Object.entries(WITH_OPTIONS).map(([id, name]) =>
      writeOptions(name, operations.find((operation) => operation.id === id)?.args ?? [], classes),
    ),
    ...unions
      .filter(([name, { oneOf }]) => oneOf && outputs.has(name))
      .map(([name, schema]) => writeUnion(name, schema, classes)),
  ];
  return `${HEADER}\n${parts.join('\n\n')}`;
}

/** The first paragraph of a description, as a comment of one line. */
const comment = (text: string): string => (text === '' ? '' : `#: ${text}\n`);
