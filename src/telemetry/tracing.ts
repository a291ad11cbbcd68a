/**
 * The spans of the service's work, by OpenTelemetry's API. They cost next to nothing until an SDK is registered: see
 * opentelemetry.ts.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/** The measured steps of the service's work. */
export type SpanName = 'searching' | 'reading' | 'storing';

/**
 * An answer's labels. Their values are few, whatever clients send.
 * `operation`: an operationId, `upload`, `livez`, `readyz`, `metrics`, `refused` (load shedding, before routing), or
 * `other` for every unknown path.
 * `status` 499: the client hung up before its answer was complete (nginx's number for it).
 */
export type RequestOutcome = { operation: string; status: number };

const tracer = trace.getTracer('knowledge-retrieval');

/**
 * Runs within `span`, and ends it. An error message may contain a client's content, so only the error's name is
 * recorded.
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

/** Runs within a span, a child of the caller's if its headers have a `traceparent`. An error passes through. */
export async function traceRequest(
  headers: IncomingHttpHeaders,
  run: () => Promise<RequestOutcome>,
): Promise<void> {
  const caller = propagation.extract(context.active(), headers);
  const span = tracer.startSpan('request', { kind: SpanKind.SERVER }, caller);
  await within(span, async () => {
    const { operation, status } = await run();
    span.updateName(operation);
    span.setAttribute('http.response.status_code', status);
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  });
}

/** Runs within a span of this name. The result or error of `run` passes through. */
export const traceStep = <T>(step: SpanName, run: () => Promise<T>): Promise<T> =>
  within(tracer.startSpan(step), run);
