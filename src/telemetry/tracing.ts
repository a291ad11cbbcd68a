/**
 * The spans of the service's work, by OpenTelemetry's API. They cost almost nothing until opentelemetry.ts registers an
 * SDK.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/** The measured steps of the service's work. */
export type SpanName = 'searching' | 'fetching' | 'extracting' | 'storing' | 'delivering';

/**
 * The labels of an answer. They have few values, since each value is a time series of the metrics.
 * `operation`: an operationId, `upload`, `download`, `mcp`, `console`, `docs`, `openapi`, `livez`, `readyz`, `metrics`,
 * `refused` (load shedding, before routing), or `other` for every unknown path.
 * `status` 499: the client hung up before its answer was complete (nginx's status).
 */
export type RequestOutcome = { operation: string; status: number };

const tracer = trace.getTracer('knowledge-retrieval');

/**
 * Runs within `span`, and ends it. Records only the name of an error: its message may contain a client's content.
 */
async function within<T>(span: Span, run: () => Promise<T>): Promise<T> {
  try {
    return await context.with(trace.setSpan(context.active(), span), run);
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
    throw error;
  } finally {
    span.end();
  }
}

/** Runs within a span: a child of the caller's, if the headers have a `traceparent`. Throws the error of `run`. */
export function traceRequest(
  headers: IncomingHttpHeaders,
  run: () => Promise<RequestOutcome>,
): Promise<void> {
  const caller = propagation.extract(context.active(), headers);
  const span = tracer.startSpan('request', { kind: SpanKind.SERVER }, caller);
  return within(span, async () => {
    const { operation, status } = await run();
    span.updateName(operation);
    span.setAttribute('http.response.status_code', status);
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  });
}

/** Runs within a span of this name. Returns the result of `run`, or throws its error. */
export const traceStep = <T>(step: SpanName, run: () => Promise<T>): Promise<T> =>
  within(tracer.startSpan(step), run);
