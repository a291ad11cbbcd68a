/** Editors show the bounds and the default of a field where a program names it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { openJsonParameters } from '../../src/http/contract/json-parameters.ts';

const root = join(import.meta.dirname, '../..');

type Schema = Record<string, unknown> & {
  $ref?: string;
  properties?: Record<string, Schema>;
};
type Parameter = {
  $ref?: string;
  name: string;
  schema?: Schema;
  content?: { 'application/json': { schema: Schema } };
};
type Operation = { operationId: string; parameters?: Parameter[] };
const spec = openJsonParameters(load(await readFile(join(root, 'spec/openapi.yaml'), 'utf8')) as object) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
};

const nameIn = ($ref: string): string => $ref.split('/').at(-1) ?? '';
const { schemas, parameters } = spec.components;
const resolveSchema = (schema: Schema = {}): Schema =>
  schema.$ref ? (schemas[nameIn(schema.$ref)] ?? {}) : schema;

/** The fields of the request types: `QueryRequest limit` or `listDocuments limit`, with their schemas. */
const fields: [type: string, field: string, schema: Schema][] = [
  ...Object.entries(schemas)
    .filter(([name]) => name.endsWith('Request'))
    .flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).map(([field, schema]): [string, string, Schema] => [name, field, schema]),
    ),
  ...Object.values(spec.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, parameters: used = [] }) =>
      used.map((given): [string, string, Schema] => {
        const { name, schema, content } = (given.$ref && parameters[nameIn(given.$ref)]) || given;
        const type = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Data`;
        return [type, name, schema ?? content?.['application/json'].schema ?? {}];
      }),
    ),
];

const path = join(root, 'generated/types.gen.ts');
const source = ts.createSourceFile(path, await readFile(path, 'utf8'), ts.ScriptTarget.Latest, true);

/** The documentation of all fields within a type, by their names. */
function documentedFields(type: string): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    if (ts.isPropertySignature(node)) {
      const comment = ts.getJSDocCommentsAndTags(node).map((doc) => doc.getText());
      found.set(node.name.getText().replaceAll("'", ''), comment.join());
    }
    node.forEachChild(visit);
  };
  const alias = source.statements.find((each) => ts.isTypeAliasDeclaration(each) && each.name.text === type);
  alias?.forEachChild(visit);
  return found;
}

/** What a caller must know of a schema, as it is written for people. */
const factsOf = (schema: Schema): string[] =>
  ['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems', 'maxProperties', 'default']
    .map((name) => schema[name])
    .filter((value) => value !== undefined)
    .map((value) => (typeof value === 'number' ? value.toLocaleString('en') : String(value)));

test.each(fields)('%s: %s is documented with its bounds and its default', (type, field, schema) => {
  const comment = documentedFields(type).get(field) ?? '';
  expect(comment).toMatch(/\w/);
  for (const fact of factsOf(resolveSchema(schema))) expect(comment).toMatch(new RegExp(`\\b${fact}\\b`));
});

test('each field has a bound, a default or choices, but for booleans, and filters, whose description has them', () => {
  const unbounded = fields.filter(([, , schema]) => {
    const resolved = resolveSchema(schema);
    return factsOf(resolved).length === 0 && resolved.enum === undefined && resolved.type !== 'boolean';
  });
  expect(new Set(unbounded.map(([, field]) => field))).toEqual(new Set(['filter']));
});
