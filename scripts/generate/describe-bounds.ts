/**
 * Writes bounds and defaults into the descriptions of a spec, from which editors show them at each field of a type.
 * The generator itself writes descriptions only, and none at fields that refer to a schema.
 */

type Schema = {
  $ref?: string;
  allOf?: Schema[];
  description?: string;
  default?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  properties?: Record<string, Schema>;
};
/** A parameter whose value is JSON has its schema in `content`. */
type Parameter = { description?: string; schema?: Schema; content?: Record<string, { schema: Schema }> };
export type Spec = { components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> } };

const numberOf = (value: number): string => value.toLocaleString('en');

/** `1 to 256 characters`; undefined: there is no bound. */
function rangeOf(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  if (least !== undefined && least === most) return `${numberOf(least)}${unit}`;
  if (least !== undefined && most !== undefined) return `${numberOf(least)} to ${numberOf(most)}${unit}`;
  if (most !== undefined) return `at most ${numberOf(most)}${unit}`;
  return least === undefined ? undefined : `at least ${numberOf(least)}${unit}`;
}

const toSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** `1 to 50. Default: 10.`; empty: the schema has neither. */
export function describeBounds(schema: Schema): string {
  const ranges = [
    rangeOf(schema.minLength, schema.maxLength, ' characters'),
    rangeOf(schema.minimum, schema.maximum, ''),
    rangeOf(schema.minItems, schema.maxItems, ' items'),
    rangeOf(undefined, schema.maxProperties, ' fields'),
  ].filter((range) => range !== undefined);
  const { default: value } = schema;
  const fallback =
    value === undefined ? [] : [`Default: ${typeof value === 'number' ? numberOf(value) : value}`];
  return [...ranges, ...fallback].map(toSentence).join(' ');
}

const withBounds = (description = '', schema: Schema): string =>
  [description.trimEnd(), describeBounds(schema)].filter(Boolean).join('\n\n');

/** Changes the spec. A field that refers to a schema gets the description of that schema. */
export function writeBounds({ components: { schemas, parameters } }: Spec): void {
  const resolve = ({ $ref, ...schema }: Schema): Schema =>
    $ref === undefined ? schema : (schemas[$ref.replace('#/components/schemas/', '')] ?? schema);
  // Fields first: a schema that has its bounds in its description would give them to its fields twice.
  for (const schema of Object.values(schemas)) {
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      const target = resolve(field);
      const description = withBounds(target.description, target);
      if (schema.properties === undefined || description === '') continue;
      // OpenAPI 3.0 ignores all other keywords beside $ref.
      schema.properties[name] =
        field.$ref === undefined ? { ...field, description } : { allOf: [field], description };
    }
  }
  for (const parameter of Object.values(parameters)) {
    const schema = parameter.schema ?? parameter.content?.['application/json']?.schema ?? {};
    parameter.description = withBounds(parameter.description, resolve(schema));
  }
  for (const schema of Object.values(schemas)) {
    const description = withBounds(schema.description, schema);
    if (description !== '') schema.description = description;
  }
}
