/** What the clients are made from: the parts of the spec, and which schemas come in and go out. */

export type Schema = {
  $ref?: string;
  type?: string;
  description?: string;
  enum?: (string | boolean)[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  nullable?: boolean;
};
export type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
  content?: Record<string, { schema: Schema }>;
};
type Content = { content?: Record<string, { schema: Schema }> };
export type Operation = {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: ({ $ref: string } | Parameter)[];
  requestBody?: Content;
  responses: Record<string, Content>;
};
export type Spec = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
};

/** `#/components/schemas/Title` → `Title` */
export const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

/** `knowledgeBaseId` → `knowledge_base_id`; `from`, which is a word of Python, → `from_`. */
export function toPythonName(name: string): string {
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return ['from', 'in', 'not', 'is', 'class', 'global'].includes(snake) ? `${snake}_` : snake;
}

/** A field of a request. */
export type Argument = { name: string; schema: Schema; isRequired: boolean; description: string };

/** An operation as a client has it. `isList`: its answer is a page. `payload`: the schema of one item. */
export type ClientOperation = {
  id: string;
  method: string;
  summary: string;
  description: string;
  args: Argument[];
  hasKey: boolean;
  isList: boolean;
  payload: string;
};

const JSON_TYPE = 'application/json';

function argumentsOf(spec: Spec, { parameters = [], requestBody }: Operation): Argument[] {
  const named = parameters.map((each) =>
    '$ref' in each ? (spec.components.parameters[nameOf(each.$ref)] as Parameter) : each,
  );
  const asked = named
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, required = false, description = '', schema, content }) => ({
      name,
      schema: schema ?? content?.[JSON_TYPE]?.schema ?? {},
      isRequired: required,
      description,
    }));
  const body = requestBody?.content?.[JSON_TYPE]?.schema;
  const { properties = {}, required = [] } = body?.$ref === undefined ? {} : schemaOf(spec, body.$ref);
  const sent = Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    isRequired: required.includes(name),
    description: schema.description ?? '',
  }));
  return [...asked, ...sent];
}

/** @throws when the spec has no such schema */
export function schemaOf(spec: Spec, reference: string): Schema {
  const schema = spec.components.schemas[nameOf(reference)];
  if (schema === undefined) throw new Error(`The spec has no schema ${reference}.`);
  return schema;
}

function toOperation(spec: Spec, method: string, operation: Operation): ClientOperation {
  const { operationId: id, summary, description = '', parameters = [], responses } = operation;
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const envelope = schemaOf(spec, success?.content?.[JSON_TYPE]?.schema.$ref ?? '');
  const { data = {}, pagination } = envelope.properties ?? {};
  return {
    id,
    method: method.toUpperCase(),
    summary,
    description,
    args: argumentsOf(spec, operation),
    hasKey: parameters.some((each) => '$ref' in each && nameOf(each.$ref) === 'IdempotencyKey'),
    isList: pagination !== undefined,
    payload: nameOf(data.$ref ?? data.items?.$ref ?? ''),
  };
}

/** The operations whose request is JSON. The body of the others, which take a file, is not. */
export const readOperations = (spec: Spec): ClientOperation[] =>
  Object.values(spec.paths).flatMap((methods) =>
    Object.entries(methods)
      .filter(([, { requestBody }]) => requestBody === undefined || JSON_TYPE in (requestBody.content ?? {}))
      .map(([method, operation]) => toOperation(spec, method, operation)),
  );

/** The schemas that `from` refers to, directly and by others. */
export function reachable(spec: Spec, from: Schema[]): Set<string> {
  const found = new Set<string>();
  const visit = (schema: Schema): void => {
    if (schema.$ref !== undefined && !found.has(nameOf(schema.$ref))) {
      found.add(nameOf(schema.$ref));
      visit(schemaOf(spec, schema.$ref));
    }
    const { items, properties = {}, additionalProperties, oneOf = [], anyOf = [] } = schema;
    const inner = [items, typeof additionalProperties === 'object' ? additionalProperties : undefined];
    for (const each of [...inner, ...Object.values(properties), ...oneOf, ...anyOf])
      if (each !== undefined) visit(each);
  };
  from.forEach(visit);
  return found;
}

/** `{ allOf: [{ $ref }], description }`, by which a field has its own description → `{ $ref, description }` */
function flatten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(flatten);
  if (typeof value !== 'object' || value === null) return value;
  const { allOf, ...rest } = value as { allOf?: unknown[] };
  const flat = Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, flatten(inner)]));
  return Array.isArray(allOf) && allOf.length === 1 ? { ...(allOf[0] as object), ...flat } : flat;
}

/** The spec without `allOf`. */
export const flattenSpec = (spec: Spec): Spec => flatten(spec) as Spec; // of the same form
