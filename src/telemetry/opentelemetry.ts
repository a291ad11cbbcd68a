/**
 * OpenTelemetry's SDK, which sends the spans of tracing.ts according to its own environment variables. Loaded only where
 * a collector is set, since it takes longer to load than the rest of the service.
 */
import { context, propagation, trace } from '@opentelemetry/api';
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

/** Starts to send spans. Returns the function that sends the remaining ones and stops. */
export function startOpenTelemetry(tracing: Tracing): () => Promise<void> {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const provider = new TracerProvider({
    resource: describeService(),
    sampler: chooseSampler(tracing),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), ...tracing.batch })],
  });
  trace.setGlobalTracerProvider(provider);
  return () =>
    withTimeout(
      provider.shutdown().catch(() => {}),
      LAST_SENDING_MS,
      () => {},
    );
}
