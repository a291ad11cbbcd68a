/** The tokens that open `/metrics`. */
import { existsSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import { readOrGenerateSecret } from './generated-secret.ts';
import { isMetricsToken, metricsTokenFile } from './secret-files.ts';

/**
 * METRICS_TOKEN, and the token in DATA_DIR/metrics-token, for `knowledge-retrieval status` on this machine. The first
 * start makes that file, unless DATA_DIR cannot be written or this server has none: then METRICS_TOKEN alone counts.
 */
export async function readMetricsTokens(config: Config, log: Logger): Promise<string[]> {
  const tokens = config.metricsToken === undefined ? [] : [config.metricsToken];
  if (!existsSync(config.dataDir)) return tokens;
  const file = metricsTokenFile(config);
  try {
    const token = (await readOrGenerateSecret(file)).trim();
    if (isMetricsToken(token)) return [...tokens, token];
    log.warn({ file }, 'the file holds no token for /metrics: remove it, and the next start makes one');
  } catch (error) {
    log.debug({ err: error, file }, 'no token for /metrics but METRICS_TOKEN');
  }
  return tokens;
}
