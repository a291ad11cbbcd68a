/**
 * OpenTelemetry's SDK, which sends the spans of tracing.ts. It reads its own environment variables. Loaded only where a
 * collector is set, since it takes longer to load than the rest of the service.
 */
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { defaultResource, envDetector, hostDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { NodeSDK } from '@opentelemetry/sdk-node';
import manifest from 'knowledge-retrieval/package.json' with { type: 'json' };
import type { Logger } from 'pino';
import { withTimeout } from '../concurrency/timeout.ts';

/** The time to send the last spans at shutdown. */
const FLUSH_TIMEOUT_MS = 1_000;

/** Logs the SDK's warnings: an invalid variable, an unreachable collector. */
function logReports(log: Logger): void {
  const report = (...words: unknown[]) => log.warn(`OpenTelemetry: ${words.join(' ')}`);
  const logger = { error: report, warn: report, info: report, debug: report, verbose: report };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN });
}

/** Starts to send spans. Returns the function that sends the remaining ones and stops. */
export function startOpenTelemetry(log: Logger): () => Promise<void> {
  logReports(log);
  const sdk = new NodeSDK({
    // OTEL_SERVICE_NAME takes precedence over this name.
    resource: defaultResource().merge(
      resourceFromAttributes({ 'service.name': manifest.name, 'service.version': manifest.version }),
    ),
    resourceDetectors: [hostDetector, envDetector],
    // Of the SDK's three signals only traces are used: see log.ts and prometheus.ts for the others.
    logRecordProcessors: [],
    metricReaders: [],
  });
  sdk.start();
  return () =>
    withTimeout(
      sdk.shutdown().catch(() => {}),
      FLUSH_TIMEOUT_MS,
      () => {},
    );
}
