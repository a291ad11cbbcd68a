/**
 * Traces by OpenTelemetry, sent according to its own environment variables. Loaded only where a collector is set,
 * since the SDK takes longer to load than the rest of the service.
 */
import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  hostDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Tracing } from '../config/config.ts';
import { withTimeout } from '../timeout.ts';
import type { Trace } from './telemetry.ts';

/** At shutdown, spans not sent within this time are lost, so that the service ends soon. */
const LAST_SENDING_MS = 1_000;

/** The samplers of the specification (OpenTelemetry, Environment Variable Specification, OTEL_TRACES_SAMPLER). */
function chooseSampler({ sampler, ratio }: Tracing): Sampler {
  const roots = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  };
  const name = sampler.replace('parentbased_', '') as keyof typeof roots; // config.ts accepts no other name
  const root = roots[name]();
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

/** OTEL_SERVICE_NAME takes precedence over this name. */
const describeService = () =>
  defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'knowledge-retrieval' }))
    .merge(detectResources({ detectors: [hostDetector, envDetector] }));

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

/**
 * Starts tracing: a span for each request, a child of the caller's if it sends a `traceparent`, and one for each step
 * of the work.
 * @returns the trace, and `stop`, which sends the remaining spans
 */
export function startTracing(tracing: Tracing): { trace: Trace; stop(): Promise<void> } {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const provider = new TracerProvider({
    resource: describeService(),
    sampler: chooseSampler(tracing),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), ...tracing.batch })],
  });
  const tracer = provider.getTracer('knowledge-retrieval');
  return {
    trace: {
      async request(headers, run) {
        const caller = propagation.extract(context.active(), headers);
        const span = tracer.startSpan('request', { kind: SpanKind.SERVER }, caller);
        await within(span, async () => {
          const answered = await run();
          span.updateName(answered.operation);
          span.setAttribute('http.response.status_code', answered.status);
          if (answered.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
          return answered;
        });
      },
      step: (step, run) => within(tracer.startSpan(step), run),
    },
    stop: () =>
      withTimeout(
        provider.shutdown().catch(() => {}),
        LAST_SENDING_MS,
        () => {},
      ),
  };
}
