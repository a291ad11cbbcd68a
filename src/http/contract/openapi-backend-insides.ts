/**
 * What the service changes in openapi-backend beyond its documentation, as of openapi-backend 5.21: see
 * docs/private-insides.md.
 *
 * The backend and its validator look up each request in `router`, by `getOperations`, `matchOperation`, `parseRequest`
 * and `parseRequestQuery`. For each request, these list all operations of the spec several times, and parse what Koa
 * has parsed. If a later version does not call them, requests take longer; a filter with a field `toString` gets 500,
 * since `parseRequestQuery` converts each value to text. Instead: our own look-up, and the exported `OpenAPIValidator`.
 */
import type { OpenAPIBackend, Request } from 'openapi-backend';

/**
 * A request as openapi-backend checks it. Koa and `postSecurityHandler` have parsed it; openapi-backend would do so
 * four times, and look for what no operation has: parameters in paths and in cookies.
 */
const parseRequest = (request: Request) => ({
  ...request,
  params: {},
  cookies: {},
  requestBody: request.body,
});

/** The query as it is: openapi-backend would convert each value to text, which fails for objects. */
const parseRequestQuery = ({ query }: Request) => query;

/** Makes openapi-backend keep the list of operations, find one by its method and path, and take requests as parsed. */
export function keepRoutes(api: OpenAPIBackend): void {
  const { router } = api;
  // openapi-backend would list all operations several times for each request; the spec does not change.
  const operations = router.getOperations();
  router.getOperations = () => operations;
  const byRoute = new Map(
    operations.map((operation) => [`${operation.method} ${operation.path}`, operation]),
  );
  api.router = Object.assign(Object.create(router), {
    parseRequest,
    parseRequestQuery,
    matchOperation: (request: Request, isStrict: boolean) =>
      byRoute.get(`${request.method.toLowerCase()} ${request.path}`) ??
      router.matchOperation(request, isStrict),
  }) as typeof router; // the rest is inherited
  api.validator.router = api.router;
}
