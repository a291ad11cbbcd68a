/** Finds what a changed schema breaks: values that one side sends and the other no longer accepts. */
import { isDeepStrictEqual } from 'node:util';
import { Ajv } from 'ajv';

/** A schema of OpenAPI 3.0 without references. */
export type Schema = {
  type?: string;
  nullable?: boolean;
  enum?: unknown[];
  default?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  discriminator?: { propertyName: string; mapping?: Record<string, string> };
  [keyword: string]: unknown;
};

/** Both versions of a schema. */
export type Change = { released: Schema; current: Schema };

/** Requests come from clients of the released spec, answers from a service of the current one. */
export type Side = 'request' | 'response';

/** `sent`: the schema of the sender. `accepted`: the schema of the receiver. `where`: names the value for people. */
type Exchange = { side: Side; where: string; sent: Schema; accepted: Schema };

const LEAST = ['minimum', 'minLength', 'minItems', 'minProperties'];
const MOST = ['maximum', 'maxLength', 'maxItems', 'maxProperties'];
/** These keywords are only tested for equality: no program can decide which of two patterns accepts more. */
const EXACT = ['pattern', 'format', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum', 'uniqueItems'];
const STRUCTURE = ['type', 'nullable', 'enum', 'items', 'properties', 'required', 'additionalProperties'];
const ALTERNATIVES = ['oneOf', 'anyOf'];
/** Keywords for people, or compared separately from the values. */
const SILENT = ['title', 'description', 'example', 'examples', 'externalDocs', 'deprecated', 'default'];
const KNOWN = new Set([
  ...LEAST,
  ...MOST,
  ...EXACT,
  ...STRUCTURE,
  ...ALTERNATIVES,
  ...SILENT,
  'discriminator',
]);

const ajv = new Ajv({ strict: false, validateFormats: false });

const show = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value));

/** The sentence about a changed keyword, the released value first. */
function differs({ side, where, sent, accepted }: Exchange, keyword: string): string {
  const [released, current] = side === 'request' ? [sent, accepted] : [accepted, sent];
  return `${where}: ${keyword} was ${show(released[keyword])}, is ${show(current[keyword])}`;
}

function typeMisfits(exchange: Exchange): string[] {
  const { sent, accepted } = exchange;
  if (accepted.type === undefined) return [];
  const fits = sent.type === accepted.type || (sent.type === 'integer' && accepted.type === 'number');
  if (!fits) return [differs(exchange, 'type')];
  return sent.nullable === true && accepted.nullable !== true ? [differs(exchange, 'nullable')] : [];
}

/** A bound as a number; without one, the bound that allows everything. */
const bound = (schema: Schema, keyword: string, none: number): number => {
  const value = schema[keyword];
  return typeof value === 'number' ? value : none;
};

function boundMisfits(exchange: Exchange): string[] {
  const { sent, accepted } = exchange;
  const least = (schema: Schema, keyword: string) =>
    bound(schema, keyword, keyword === 'minimum' ? -Infinity : 0);
  const most = (schema: Schema, keyword: string) => bound(schema, keyword, Infinity);
  return [
    ...LEAST.filter((keyword) => least(accepted, keyword) > least(sent, keyword)),
    ...MOST.filter((keyword) => most(accepted, keyword) < most(sent, keyword)),
    ...EXACT.filter((keyword) => accepted[keyword] !== undefined && accepted[keyword] !== sent[keyword]),
  ].map((keyword) => differs(exchange, keyword));
}

/** Compares scalar values: a closed list value by value, everything else keyword by keyword. */
function valueMisfits(exchange: Exchange): string[] {
  const { sent, accepted, side, where } = exchange;
  if (sent.enum === undefined) {
    const open = accepted.enum === undefined ? [] : [differs(exchange, 'enum')];
    return [...typeMisfits(exchange), ...open, ...boundMisfits(exchange)];
  }
  const verb = side === 'request' ? 'is no longer accepted' : 'is new';
  return sent.enum
    .filter((value) => !ajv.validate(accepted, value))
    .map((value) => `${where}: ${show(value)} ${verb}`);
}

/** The schema of an object's additional properties: none allowed (false), anything ({}), or a schema. */
const othersOf = ({ additionalProperties = true }: Schema): Schema | false =>
  additionalProperties === true ? {} : additionalProperties;

/** A property that only the released version has is lost for clients, in requests and answers. */
function missingProperty(exchange: Exchange, name: string): string[] {
  const { side, where, sent, accepted } = exchange;
  const [released, current] = side === 'request' ? [sent, accepted] : [accepted, sent];
  const isGone = released.properties?.[name] !== undefined && current.properties?.[name] === undefined;
  return isGone ? [`${where}.${name} is gone`] : [];
}

function propertyMisfits(exchange: Exchange, name: string): string[] {
  const { side, where, sent, accepted } = exchange;
  const sentProperty = sent.properties?.[name];
  const acceptedProperty = accepted.properties?.[name];
  const inside = `${where}.${name}`;
  if (sentProperty && acceptedProperty) {
    return misfits({ side, where: inside, sent: sentProperty, accepted: acceptedProperty });
  }
  const others = othersOf(accepted);
  if (side === 'request' || sentProperty === undefined) return missingProperty(exchange, name);
  return others === false
    ? [`${inside} is new where the released schema allows no further fields`]
    : misfits({ side, where: inside, sent: sentProperty, accepted: others });
}

function requiredMisfits({ side, where, sent, accepted }: Exchange): string[] {
  const verb = side === 'request' ? 'is required now' : 'may be missing now';
  const required = accepted.required ?? [];
  return required.filter((name) => !sent.required?.includes(name)).map((name) => `${where}.${name} ${verb}`);
}

function otherPropertiesMisfits(exchange: Exchange): string[] {
  const [sent, accepted] = [othersOf(exchange.sent), othersOf(exchange.accepted)];
  if (sent === false) return [];
  return accepted === false
    ? [differs(exchange, 'additionalProperties')]
    : misfits({ ...exchange, where: `${exchange.where}.*`, sent, accepted });
}

function objectMisfits(exchange: Exchange): string[] {
  const { sent, accepted } = exchange;
  const isObject = [sent, accepted].some(
    ({ properties, type }) => properties !== undefined || type === 'object',
  );
  if (!isObject || sent.type !== accepted.type) return [];
  const names = new Set([...Object.keys(sent.properties ?? {}), ...Object.keys(accepted.properties ?? {})]);
  return [
    ...[...names].flatMap((name) => propertyMisfits(exchange, name)),
    ...requiredMisfits(exchange),
    ...otherPropertiesMisfits(exchange),
  ];
}

function itemMisfits({ side, where, sent, accepted }: Exchange): string[] {
  if (accepted.items === undefined) return [];
  return misfits({ side, where: `${where}[]`, sent: sent.items ?? {}, accepted: accepted.items });
}

/** A missing field means its default. */
function defaultMisfits(exchange: Exchange): string[] {
  const { side, sent, accepted } = exchange;
  const isChanged =
    side === 'request' && sent.default !== undefined && !isDeepStrictEqual(sent.default, accepted.default);
  return isChanged ? [differs(exchange, 'default')] : [];
}

/** Each value that the sender's discriminator knows leads the receiver to the same schema. */
function discriminatorMisfits(exchange: Exchange): string[] {
  const { sent, accepted } = exchange;
  if (accepted.discriminator === undefined || sent.discriminator === undefined) return [];
  const [theirs, ours] = [sent.discriminator, accepted.discriminator];
  const isKnown = Object.entries(theirs.mapping ?? {}).every(([value, to]) => ours.mapping?.[value] === to);
  return theirs.propertyName === ours.propertyName && isKnown ? [] : [differs(exchange, 'discriminator')];
}

/** An unknown keyword must be unchanged, so that none is overlooked. */
function unjudged(exchange: Exchange): string[] {
  const { sent, accepted } = exchange;
  const keywords = new Set([...Object.keys(sent), ...Object.keys(accepted)]);
  return [...keywords]
    .filter((keyword) => !KNOWN.has(keyword) && !keyword.startsWith('x-'))
    .filter((keyword) => !isDeepStrictEqual(sent[keyword], accepted[keyword]))
    .map((keyword) => `${differs(exchange, keyword)}; judge by hand`);
}

/** A schema as the list of its alternatives, each joined with the keywords beside them. */
function alternativesOf(schema: Schema): Schema[] {
  const { oneOf, anyOf, ...common } = schema;
  const alternatives = oneOf ?? anyOf;
  return alternatives?.map((alternative) => ({ ...common, ...alternative })) ?? [schema];
}

/** Whether an alternative of an answer comes only to clients that use something new, which `x-opt-in` names. */
const isOptIn = (side: Side, alternative: Schema): boolean =>
  side === 'response' && alternative['x-opt-in'] !== undefined;

/** Every alternative that is sent must fit one that is accepted. The sentences are about the closest one. */
function alternativeMisfits({ side, where, sent, accepted }: Exchange): string[] {
  const received = alternativesOf(sent).filter((alternative) => !isOptIn(side, alternative));
  return received.flatMap((oneSent) => {
    const tried = alternativesOf(accepted).map((oneAccepted) =>
      misfits({ side, where, sent: oneSent, accepted: oneAccepted }),
    );
    return tried.sort((one, other) => one.length - other.length)[0] ?? [];
  });
}

/**
 * Whether a schema breaks clients on purpose since the released version: its `x-breaking-change`, a sentence about it,
 * is new. Once that is released too, later changes of the schema are compared again.
 */
export const isBreakingOnPurpose = ({ released, current }: Change): boolean =>
  current[BREAKING] !== undefined && current[BREAKING] !== released[BREAKING];

const BREAKING = 'x-breaking-change';

/** The reasons why a value of `sent` may be invalid in `accepted`; empty if every value is valid. */
function misfits(exchange: Exchange): string[] {
  const { side, sent, accepted } = exchange;
  const [released, current] = side === 'request' ? [sent, accepted] : [accepted, sent];
  if (isBreakingOnPurpose({ released, current })) return [];
  const hasAlternatives = ({ oneOf, anyOf }: Schema) => oneOf !== undefined || anyOf !== undefined;
  if (hasAlternatives(exchange.sent) || hasAlternatives(exchange.accepted))
    return alternativeMisfits(exchange);
  return [
    ...valueMisfits(exchange),
    ...itemMisfits(exchange),
    ...objectMisfits(exchange),
    ...defaultMisfits(exchange),
    ...discriminatorMisfits(exchange),
    ...unjudged(exchange),
  ];
}

/**
 * Lists what the change of a schema breaks, one sentence each, beginning with `where`.
 * A request may accept more than before, and an answer may contain fewer different values.
 * Either may gain a field, but not lose one.
 */
export function compareSchemas(side: Side, where: string, { released, current }: Change): string[] {
  return side === 'request'
    ? misfits({ side, where, sent: released, accepted: current })
    : misfits({ side, where, sent: current, accepted: released });
}
