/** Python source: types, and texts as docstrings and comments. */
import { nameOf, type Schema, type Spec, schemaOf } from './spec-shapes.ts';

/** Characters of a line of what is generated. */
const WIDTH = 116;

/** Breaks a paragraph into lines. */
function wrap(paragraph: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of paragraph.split(/\s+/).filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** A text as a docstring. Lists and code in it keep their lines. */
export function docstring(text: string, indent: string): string {
  const width = WIDTH - indent.length;
  const paragraphs = text
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) =>
      /^\s*([-*|]|```)/m.test(paragraph) ? paragraph.split('\n') : wrap(paragraph, width),
    );
  const lines = paragraphs.flatMap((paragraph, index) => (index === 0 ? paragraph : ['', ...paragraph]));
  const safe = lines.map((line) => line.replaceAll('\\', '\\\\').replaceAll('"""', "'''"));
  if (safe.length === 0) return '';
  const [only = ''] = safe;
  if (safe.length === 1 && !only.endsWith('"')) return `${indent}"""${only}"""\n`;
  return `${indent}"""\n${safe.map((line) => (line === '' ? '' : indent + line)).join('\n')}\n${indent}"""\n`;
}

/** `input`: what a caller passes; `output`: what an answer holds. */
export type Direction = 'input' | 'output';

/** Which schemas are classes in both directions: the caller's has another name. */
export type Classes = { spec: Spec; both: Set<string> };

/** An object that may have further fields is none: a class has names for those that it knows alone. */
const isClass = ({ type, properties, additionalProperties }: Schema): boolean =>
  type === 'object' && properties !== undefined && additionalProperties !== true;
const isUnion = ({ oneOf, anyOf, enum: values }: Schema): boolean =>
  oneOf !== undefined || anyOf !== undefined || values !== undefined;

/** Whether a schema has a name in Python: classes, unions, and objects with names of the caller's own. */
export const isNamed = (schema: Schema): boolean =>
  isClass(schema) || isUnion(schema) || typeof schema.additionalProperties === 'object';

export const inputName = (name: string, { both }: Classes): string =>
  both.has(name) ? `${name}Input` : name;

const PLAIN: Record<string, string> = { string: 'str', integer: 'int', number: 'float', boolean: 'bool' };

function referenceType(reference: string, direction: Direction, classes: Classes): string {
  const name = nameOf(reference);
  const schema = schemaOf(classes.spec, reference);
  if (!isNamed(schema)) return typeOf(schema, direction, classes);
  if (direction === 'output' || !classes.both.has(name) || !isClass(schema)) return name;
  return `Union[${name}Input, ${name}]`; // what an answer held may be sent back
}

const literal = (value: string | boolean): string => (typeof value === 'string' ? `"${value}"` : 'True');

/** The type of a value in Python. */
export function typeOf(schema: Schema, direction: Direction, classes: Classes): string {
  const inner = (each: Schema) => typeOf(each, direction, classes);
  if (schema.$ref !== undefined) return referenceType(schema.$ref, direction, classes);
  if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(', ')}]`;
  const options = schema.oneOf ?? schema.anyOf;
  if (options !== undefined) return `Union[${options.map(inner).join(', ')}]`;
  if (schema.type === 'array')
    return `${direction === 'input' ? 'Sequence' : 'List'}[${inner(schema.items ?? {})}]`;
  if (typeof schema.additionalProperties === 'object')
    return `Mapping[str, ${inner(schema.additionalProperties)}]`;
  return PLAIN[schema.type ?? ''] ?? 'Mapping[str, Any]';
}

/** The class of what a field holds, or of its items; undefined: no class. */
export function modelOf(schema: Schema, spec: Spec): string | undefined {
  if (schema.items !== undefined) return modelOf(schema.items, spec);
  if (schema.$ref === undefined) return undefined;
  const target = schemaOf(spec, schema.$ref);
  return isClass(target) ? nameOf(schema.$ref) : modelOf(target, spec);
}
