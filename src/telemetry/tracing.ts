/**
 * Traces by OpenTelemetry, sent as its own environment variables say. Loaded only where a collector is set, since the
 * SDK takes longer to load than the rest of the service.
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
import type { Trace } from './telemetry.ts';

/** What is not sent by then when the service ends is lost: an end has other things to do. */
const LAST_SENDING_MS = 1_000;

/** The samplers of the specification (OpenTelemetry, Environment Variable Specification, OTEL_TRACES_SAMPLER). */
function chooseSampler({ sampler, ratio }: Tracing): Sampler {
  const roots = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  };
  const name = sampler.replace('parentbased_', '') as keyof typeof roots; // config.ts lets no other name pass
  const root = roots[name]();
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

/** The name OTEL_SERVICE_NAME counts more. */
const describeService = () =>
  defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'knowledge-retrieval' }))
    .merge(detectResources({ detectors: [hostDetector, envDetector] }));

/** Runs within `span`, and ends it; a message of an error may hold what a client has sent, so its name has to do. */
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
 * Starts to trace: a span for each request, a child of the caller's where it sends a `traceparent`, and one for each
 * step of the work.
 * @returns the trace, and `stop`, which sends what is not sent yet
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
    async stop() {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, LAST_SENDING_MS);
      await Promise.race([provider.shutdown().catch(() => {}), late]);
      clearTimeout(timer);
    },
  };
}
