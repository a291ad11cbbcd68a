/** Requests that are refused for their bodies: too large, of another type, or with fields against the spec. */
import assert from 'node:assert/strict';
import type { InputValidationFailedData } from '../../../generated/types.gen.ts';
import { dataOf, exampleInput, type Plan, requestWith } from '../planning/planned-request.ts';
import { VALID_INPUTS } from '../planning/valid-inputs.ts';
import type { Answer } from '../requests/exchange.ts';
import { inputsOf, operationOf, requiredInputsOf, type Schema } from '../spec/read-spec.ts';
import { type OperationId, ROUTES } from '../spec/routes.ts';

const takesJson = (operationId: OperationId) => ROUTES[operationId].body === 'json';

/** The most bytes that a code point takes in JSON: two escaped halves of a surrogate pair. */
const ESCAPED_BYTES = 12;
/** More than the names and the punctuation of any body. */
const OVERHEAD_BYTES = 128 * 1024;

/** The largest file, by the interface. */
const LARGEST_FILE_BYTES = 52_428_800;

/** Code points of the longest name that a caller may choose. */
const NAME_MAX = 64;

function codePoints({ anyOf, items, maxItems = 1, maxLength = 0, ...schema }: Schema): number {
  const { maxProperties, additionalProperties, 'x-maxText': maxText } = schema;
  if (maxText !== undefined) return maxText;
  if (anyOf !== undefined) return Math.max(...anyOf.map(codePoints));
  if (items !== undefined) return maxItems * codePoints(items);
  if (typeof additionalProperties === 'object')
    return (maxProperties ?? 0) * (NAME_MAX + codePoints(additionalProperties));
  return maxLength;
}

/** A body that is larger than any legal one of this operation. The answer names the service's limit. */
export const tooLarge: Plan = (context, operationId) => {
  const inputs = Object.values(inputsOf(operationOf(operationId)));
  const bytes = takesJson(operationId)
    ? inputs.reduce((sum, schema) => sum + ESCAPED_BYTES * codePoints(schema), OVERHEAD_BYTES)
    : LARGEST_FILE_BYTES + 1;
  const sent = requestWith(context, operationId);
  return {
    sent: { ...sent, body: String(sent.body).padEnd(bytes, ' ') },
    check(answer) {
      const { limit } = dataOf<{ limit: number }>(answer);
      assert.ok(
        limit < bytes && limit > bytes / 2,
        `the limit of ${limit} bytes fits the largest legal body`,
      );
    },
  };
};

/** A body of a type that no operation takes. */
export const unsupportedMediaType: Plan = (context, operationId) => {
  const sent = requestWith(context, operationId);
  return { sent: { ...sent, headers: { ...sent.headers, 'content-type': 'text/plain' } } };
};

/** A valid input with all fields. Its ids are unknown, since validation comes before their look-up. */
const goodInput = (operationId: OperationId) => ({
  ...exampleInput(operationId),
  ...VALID_INPUTS[operationId],
});

/** Copies of `goodInput`, each with one wrong field: absent, too long, too short, too large or too small. */
function* breakInput(operationId: OperationId): Generator<[field: string, input: Record<string, unknown>]> {
  const operation = operationOf(operationId);
  const good: Record<string, unknown> = goodInput(operationId);
  for (const field of requiredInputsOf(operation)) {
    const { [field]: _, ...rest } = good;
    yield [field, rest];
  }
  for (const [field, schema] of Object.entries(inputsOf(operation))) {
    const { maxLength, minLength = 0, minimum, maximum, maxItems, items } = schema;
    const [first] = Array.isArray(good[field]) ? good[field] : [];
    const item = items?.type === 'object' ? first : (items?.enum?.[0] ?? 'x'.repeat(36));
    if (maxLength !== undefined) yield [field, { ...good, [field]: 'x'.repeat(maxLength + 1) }];
    if (minLength > 0) yield [field, { ...good, [field]: 'x'.repeat(minLength - 1) }];
    if (maxItems !== undefined) yield [field, { ...good, [field]: Array(maxItems + 1).fill(item) }];
    if (minimum !== undefined) yield [field, { ...good, [field]: minimum - 1 }];
    if (maximum !== undefined) yield [field, { ...good, [field]: maximum + 1 }];
  }
}

/** Checks that the answer names this field and no other. */
function checkField(answer: Answer, field: string): void {
  const { formErrors, fieldErrors } = dataOf<InputValidationFailedData>(answer);
  const found = { status: answer.status, formErrors, fields: Object.keys(fieldErrors ?? {}) };
  assert.deepEqual(
    found,
    { status: 422, formErrors: [], fields: [field] },
    `422 names ${field} and nothing else`,
  );
}

/** An unknown field. The check sends each input of `breakInput` as well, and malformed JSON. */
export const invalid: Plan = (context, operationId) => {
  return {
    sent: requestWith(context, operationId, { ...VALID_INPUTS[operationId], unheardOf: 'x' }),
    async check(answer) {
      checkField(answer, 'unheardOf');
      for (const [field, input] of breakInput(operationId))
        checkField(await context.caller.request(operationId, input), field);
      if (!takesJson(operationId)) return;
      const malformed = await context.caller.request(operationId, '{"a":');
      assert.equal(malformed.status, 422);
      assert.equal(
        dataOf<InputValidationFailedData>(malformed).formErrors.length,
        1,
        'one message about malformed JSON',
      );
    },
  };
};
