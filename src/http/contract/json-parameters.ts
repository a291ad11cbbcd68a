/**
 * Parameters of the query string whose text is JSON. To generators of clients each is a string, since many leave out an
 * operation that has a parameter with `content`. Its extension `x-json` is the schema of the value in that text.
 */

type JsonSchema = Record<string, unknown>;
type Parameter = {
  schema?: JsonSchema;
  example?: unknown;
  'x-json'?: JsonSchema;
  content?: Record<string, { schema: JsonSchema; example?: unknown }>;
};

/** The same parameter with the schema of its value, in OpenAPI's own form. */
function openParameter({ schema, example, 'x-json': json, ...parameter }: Parameter): Parameter {
  const same = { ...parameter, ...(schema && { schema }), ...(example !== undefined && { example }) };
  if (json === undefined) return same;
  const parsed = typeof example === 'string' ? { example: JSON.parse(example) as unknown } : {};
  return { ...parameter, content: { 'application/json': { schema: json, ...parsed } } };
}

/** Replaces, in place, each parameter in JSON by one with the schema of its value, for who parses it. */
export function openJsonParameters<T extends object>(spec: T): T {
  const { parameters = {} } =
    (spec as { components?: { parameters?: Record<string, Parameter> } }).components ?? {};
  for (const [name, parameter] of Object.entries(parameters)) parameters[name] = openParameter(parameter);
  return spec;
}
