/** The files in DATA_DIR that hold secrets. Apart from bootstrap.ts, so that commands find them without a database. */
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';

/** The file of the first key, readable only by its owner. */
export const apiKeyFile = (config: Config): string => join(config.dataDir, 'api-key');

/** The file with the secret of the upload addresses. Unused with UPLOAD_SECRET. */
export const uploadSecretFile = (config: Config): string => join(config.dataDir, 'upload-secret');

/** The most bytes that a command reads of such a file. */
export const SECRET_FILE_MAX_BYTES = 4_096;

/** A shorter token could be guessed, and no header holds others: the file was damaged, or written by hand. */
export const isMetricsToken = (token: string): boolean => /^[\x21-\x7e]{16,1024}$/.test(token);

/** The file with a token for `/metrics`, which opens them beside METRICS_TOKEN. */
export const metricsTokenFile = (config: Config): string => join(config.dataDir, 'metrics-token');
