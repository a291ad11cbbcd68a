/**
 * The description that Dredd reads: the part of the spec that Dredd can use, so that it makes one transaction for each
 * response. Its OpenAPI 3 parser turns `default` into a second 200, ignores the schemas of answers, and warns of most
 * keywords.
 */
import { expectedStatus, type Transaction } from '../../src/contract-check/runner/transactions.ts';
import { type Content, examplesOf, operations } from '../../src/contract-check/spec/read-spec.ts';

const jsonBody = (content: Partial<Content>) => ({
  'application/json': { schema: { type: 'object' }, example: examplesOf(content)[0]?.[1].value },
});

/** The required headers of an answer, without schemas: the hooks check their values. */
const headersByName = (headers: Record<string, { required?: boolean }> = {}) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([, { required }]) => required)
      .map(([name]) => [name, {}]),
  );

function describeOperation(operation: (typeof operations)[number], statuses: string[]) {
  const { operationId, parameters = [], requestBody, responses } = operation;
  const described = Object.entries(responses)
    .filter(([status]) => statuses.includes(status))
    .map(([status, { headers, content }]) => [
      expectedStatus({ operationId: operationId as Transaction['operationId'], status }), // a name of the spec
      { description: '', headers: headersByName(headers), content: jsonBody(content) },
    ]);
  return {
    summary: operationId,
    parameters: parameters.map(({ name, in: location, required, example }) => ({
      name,
      in: location,
      required,
      example,
    })),
    ...(requestBody !== undefined && { requestBody: { content: jsonBody(requestBody.content) } }),
    responses: Object.fromEntries(described),
  };
}

/** An OpenAPI description as JSON from which Dredd compiles exactly these transactions. */
export function describeTransactions(transactions: Transaction[]): string {
  const paths = operations.flatMap((operation) => {
    const statuses = transactions
      .filter(({ operationId }) => operationId === operation.operationId)
      .map(({ status }) => status);
    if (statuses.length === 0) return [];
    return [[operation.path, { [operation.method]: describeOperation(operation, statuses) }]];
  });
  const info = { title: 'Knowledge Retrieval Service', version: '1.0.0' };
  return JSON.stringify({ openapi: '3.0.3', info, paths: Object.fromEntries(paths) });
}
