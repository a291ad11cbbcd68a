/** Reads the settings from the environment: the only reader of `process.env`. Reports all problems at once. */
import { resolve } from 'node:path';
import { isApiKey } from '../terms/api-key.ts';
import type { CorsOrigins } from './cors.ts';
import { withVariables } from './libpq-variables.ts';
import {
  type EmbeddingsSettings,
  embeddingsOf,
  findModelProblems,
  modelSettings,
  PADDED_SETTINGS,
  type RerankSettings,
  rerankOf,
} from './model-settings.ts';
import { postgresAddress, standbyAddress } from './postgres-address.ts';
import { NO_PRIVATE_PLACES, type PrivatePlaces, privatePlaces } from './private-places.ts';
import { findMistypedNames, type MistypedName } from './setting-names.ts';
import {
  anyText,
  baseAddress,
  between,
  flag,
  httpAddress,
  oneOf,
  optional,
  origins,
  textFrom,
  textThat,
  wholeNumber,
  withDefault,
} from './setting-types.ts';
import { WrongText } from './wrong-text.ts';

/** The minimum length of the secret that signs upload addresses. */
export const UPLOAD_SECRET_LENGTH = 32;

/** The minimum length of the metrics token: 16 random characters cannot be guessed. */
const METRICS_TOKEN_LENGTH = 16;

const GIBIBYTE = 1024 ** 3;

/** A week: the longest validity of an S3 signature (Amazon S3 API reference, X-Amz-Expires). */
const LONGEST_TICKET_SECONDS = 604_800;

/** A week. A larger value is probably in another unit. */
const LONGEST_IMPORT_WAIT_SECONDS = 604_800;

/** Thirty days. A larger value is probably in another unit. */
const LONGEST_WEBHOOK_RETRY_SECONDS = 2_592_000;

/** A page of listWebhooks holds this many at most, each with the log of its deliveries. */
const MOST_WEBHOOKS = 1_000;

/** No balancer takes longer to notice. A larger value is probably in another unit. */
const LONGEST_SHUTDOWN_DELAY_SECONDS = 300;

/** PostgreSQL cuts longer names off, and keeps those with `pg_` for itself. */
const isSchemaName = (text: string): boolean => Buffer.byteLength(text) <= 63 && !/^pg_|\0/.test(text);
const SCHEMA_NAME_RULE = 'be the name of a schema: at most 63 bytes, not beginning with pg_';

/** The levels of Pino. */
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/**
 * One line for each setting. The table of docs/settings.md lists the same names, and OpenTelemetry's variables in one
 * row. An empty value counts as unset.
 */
const settings = {
  HOST: withDefault('127.0.0.1', anyText),
  PORT: wholeNumber(8080, 0, 65_535),
  WORKER_PORT: optional(between(0, 65_535)),
  SHUTDOWN_DELAY_SECONDS: wholeNumber(0, 0, LONGEST_SHUTDOWN_DELAY_SECONDS),
  BASE_URL: optional(baseAddress),
  TRUST_PROXY: withDefault('off', oneOf(['on', 'off'])),
  DATA_DIR: withDefault('./.data', anyText),
  DATABASE_URL: optional(postgresAddress),
  DATABASE_READ_URL: optional(standbyAddress),
  DATABASE_SCHEMA: optional(textThat(isSchemaName, SCHEMA_NAME_RULE)),
  DATABASE_POOL_SIZE: wholeNumber(16, 2, 1000),
  BOOTSTRAP_API_KEY: optional(textThat(isApiKey, 'be a key made by `npx knowledge-retrieval keys generate`')),
  UPLOAD_SECRET: optional(textFrom(UPLOAD_SECRET_LENGTH)),
  S3_BUCKET: optional(anyText),
  S3_ENDPOINT: optional(httpAddress),
  S3_REGION: optional(anyText),
  STORAGE_LIMIT_BYTES: wholeNumber(10 * GIBIBYTE),
  KNOWLEDGE_BASE_LIMIT: wholeNumber(1000),
  INITIAL_CREDITS: wholeNumber(1_000_000_000),
  CREDITS_PER_QUERY: wholeNumber(1),
  UPLOAD_TICKET_TTL_SECONDS: wholeNumber(3600, 1, LONGEST_TICKET_SECONDS),
  IMPORT_TIMEOUT_SECONDS: wholeNumber(600, 1),
  IMPORT_WAIT_SECONDS: wholeNumber(86_400, 1, LONGEST_IMPORT_WAIT_SECONDS),
  RATE_LIMIT_PER_MINUTE: wholeNumber(0),
  OCR: withDefault('on', oneOf(['on', 'off'])),
  WORD_VECTORS: withDefault('off', oneOf(['on', 'off'])),
  ...modelSettings,
  IMPORT_PRIVATE_NETWORKS: withDefault(NO_PRIVATE_PLACES, privatePlaces),
  WEBHOOK_LIMIT: wholeNumber(10, 0, MOST_WEBHOOKS),
  WEBHOOK_RETRY_SECONDS: wholeNumber(259_200, 1, LONGEST_WEBHOOK_RETRY_SECONDS),
  WEBHOOK_PRIVATE_NETWORKS: withDefault('refuse', oneOf(['refuse', 'allow'])),
  CORS_ORIGIN: withDefault([], origins),
  VALIDATE_RESPONSES: flag,
  METRICS_TOKEN: optional(textFrom(METRICS_TOKEN_LENGTH)),
  // The addresses are checked here, since the SDK's own warning would log them, and they may hold a password.
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(httpAddress),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional(httpAddress),
  OTEL_TRACES_EXPORTER: optional(anyText),
  OTEL_SDK_DISABLED: optional(anyText),
  LOG_LEVEL: withDefault('info', oneOf(LOG_LEVELS)),
};

/** The names of all settings. */
export const SETTING_NAMES: readonly string[] = Object.keys(settings);

type Settings = { [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]> };

/** The settings as the service uses them. Names end with their units. */
export type Config = Readonly<{
  host: string;
  port: number;
  /** Whether PORT names a port: then commands call only the server there. */
  isPortSet: boolean;
  /** The port where a worker reports its health; undefined: none. */
  workerPort: number | undefined;
  /** How long a server answers requests after SIGTERM while `/readyz` reports that it is not ready. */
  shutdownDelaySeconds: number;
  /** Public address without a trailing slash; undefined: the address that the request was sent to. */
  baseUrl: string | undefined;
  /** Whether the headers of a proxy say what the request's address is, where there is no `baseUrl`. */
  trustsProxy: boolean;
  dataDir: string;
  /** undefined: the embedded PostgreSQL under `dataDir`. */
  databaseUrl: string | undefined;
  /** A streaming replica of `databaseUrl`, for queries; undefined: they run there too. */
  databaseReadUrl: string | undefined;
  /** The schema of `databaseUrl` with the tables. Undefined: the schema that already has them, or a new schema. */
  databaseSchema: string | undefined;
  databasePoolSize: number;
  bootstrapApiKey: string | undefined;
  uploadSecret: string | undefined;
  /**
   * The S3 store of uploaded files; undefined: they are below `dataDir`. `endpoint` undefined: Amazon's. `region`
   * undefined: by the SDK's own settings.
   */
  s3: Readonly<{ bucket: string; endpoint: string | undefined; region: string | undefined }> | undefined;
  storageLimitBytes: number;
  knowledgeBaseLimit: number;
  initialCredits: number;
  creditsPerQuery: number;
  uploadTicketTtlSeconds: number;
  importTimeoutSeconds: number;
  importWaitSeconds: number;
  /** Requests per key and minute; 0: no limit. */
  rateLimitPerMinute: number;
  /** Whether the text of scans and pictures is read. */
  hasOcr: boolean;
  /** Whether passages are found by meaning too: whether they get vectors, and queries compare them. */
  hasWordVectors: boolean;
  /** The model whose vectors take the place of word vectors; undefined: none. */
  embeddings: EmbeddingsSettings | undefined;
  /** The model that puts the best passages in order; undefined: none. */
  rerank: RerankSettings | undefined;
  /** The private names and networks that imports by address may open. */
  importPrivatePlaces: PrivatePlaces;
  /** Webhooks of an account. */
  webhookLimit: number;
  /** How long an event is sent again before it is given up. */
  webhookRetrySeconds: number;
  /** Whether webhooks may lead to private networks, and over plain http. */
  allowsPrivateReceivers: boolean;
  /** The origins that browsers may call from. */
  corsOrigins: CorsOrigins;
  validateResponses: boolean;
  /** The token for `/metrics`; undefined: that path does not exist. */
  metricsToken: string | undefined;
  /** Whether traces are sent, by OpenTelemetry's own variables. */
  isTracing: boolean;
  logLevel: Settings['LOG_LEVEL'];
}>;

/** All problems of the environment. The message has one line for each, with the name of the setting. */
export class ConfigError extends Error {}

/**
 * Whether traces are enabled and a collector is set. Only these four variables decide whether OpenTelemetry's SDK is
 * loaded, which takes long. The SDK reads all its variables itself.
 */
const isTracing = (read: Settings): boolean =>
  read.OTEL_SDK_DISABLED?.toLowerCase() !== 'true' &&
  read.OTEL_TRACES_EXPORTER !== 'none' &&
  (read.OTEL_EXPORTER_OTLP_ENDPOINT ?? read.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) !== undefined;

const serverOf = (read: Settings, isPortSet: boolean) => ({
  host: read.HOST,
  port: read.PORT,
  isPortSet,
  workerPort: read.WORKER_PORT,
  shutdownDelaySeconds: read.SHUTDOWN_DELAY_SECONDS,
  baseUrl: read.BASE_URL?.replace(/\/+$/, ''),
  trustsProxy: read.TRUST_PROXY === 'on',
  dataDir: resolve(read.DATA_DIR),
});

const storesOf = (read: Settings) => ({
  databaseUrl: read.DATABASE_URL,
  databaseReadUrl: read.DATABASE_READ_URL,
  databaseSchema: read.DATABASE_SCHEMA,
  databasePoolSize: read.DATABASE_POOL_SIZE,
  bootstrapApiKey: read.BOOTSTRAP_API_KEY,
  uploadSecret: read.UPLOAD_SECRET,
  s3:
    read.S3_BUCKET === undefined
      ? undefined
      : { bucket: read.S3_BUCKET, endpoint: read.S3_ENDPOINT, region: read.S3_REGION },
});

const limitsOf = (read: Settings) => ({
  storageLimitBytes: read.STORAGE_LIMIT_BYTES,
  knowledgeBaseLimit: read.KNOWLEDGE_BASE_LIMIT,
  initialCredits: read.INITIAL_CREDITS,
  creditsPerQuery: read.CREDITS_PER_QUERY,
  uploadTicketTtlSeconds: read.UPLOAD_TICKET_TTL_SECONDS,
  importTimeoutSeconds: read.IMPORT_TIMEOUT_SECONDS,
  importWaitSeconds: read.IMPORT_WAIT_SECONDS,
  rateLimitPerMinute: read.RATE_LIMIT_PER_MINUTE,
});

function toConfig(read: Settings, given: NodeJS.ProcessEnv): Config {
  const isPortSet = given.PORT !== undefined && read.PORT !== 0;
  return Object.freeze({
    ...serverOf(read, isPortSet),
    ...storesOf(read),
    ...limitsOf(read),
    hasOcr: read.OCR === 'on',
    hasWordVectors: read.WORD_VECTORS === 'on',
    embeddings: embeddingsOf(read),
    rerank: rerankOf(read),
    importPrivatePlaces: read.IMPORT_PRIVATE_NETWORKS,
    webhookLimit: read.WEBHOOK_LIMIT,
    webhookRetrySeconds: read.WEBHOOK_RETRY_SECONDS,
    allowsPrivateReceivers: read.WEBHOOK_PRIVATE_NETWORKS === 'allow',
    corsOrigins: read.CORS_ORIGIN,
    validateResponses: read.VALIDATE_RESPONSES,
    metricsToken: read.METRICS_TOKEN,
    isTracing: isTracing(read),
    logLevel: read.LOG_LEVEL,
  });
}

const withoutEmptyValues = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));

/**
 * Settings with white space around their values. It would be invisible but significant in a directory or a secret. Only
 * the prefixes of texts need it.
 */
const findPaddedValues = (given: NodeJS.ProcessEnv): string[] =>
  SETTING_NAMES.filter((name) => given[name] !== given[name]?.trim() && !PADDED_SETTINGS.includes(name));

/** The variables of `environment` that look like mistyped settings. They have no effect. */
export const findMistypedSettings = (environment: NodeJS.ProcessEnv = process.env): MistypedName[] =>
  findMistypedNames(Object.keys(withoutEmptyValues(environment)), SETTING_NAMES);

/**
 * Requests to `host` no longer go to the proxy of the environment: NODE_USE_ENV_PROXY and HTTP_PROXY. Node reads the
 * list of exceptions at each request. The host is this machine: a proxy would ask another one.
 */
export function goDirectlyTo(host: string, environment: NodeJS.ProcessEnv = process.env): void {
  const listed = environment.no_proxy ?? environment.NO_PROXY ?? '';
  if (listed === '*' || listed.split(/[\s,]+/).includes(host)) return;
  const exceptions = [listed, host].filter(Boolean).join(',');
  environment.no_proxy = exceptions;
  environment.NO_PROXY = exceptions;
}

/** How this machine is called in addresses. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** The same for all addresses of this machine alone: of a service, of a model, of a store. */
export function goDirectlyToThisMachine(): void {
  for (const host of LOOPBACK) goDirectlyTo(host);
}

/** The settings that are addresses of PostgreSQL. */
const POSTGRES_ADDRESSES = ['DATABASE_URL', 'DATABASE_READ_URL'];

/** The text of a setting, and the variables of other programs that have a part in it. */
function textOf(name: string, given: NodeJS.ProcessEnv): { text: string | undefined; variables: string[] } {
  const text = given[name];
  if (text === undefined || !POSTGRES_ADDRESSES.includes(name)) return { text, variables: [] };
  const { address, variables } = withVariables(text, given);
  return { text: address, variables };
}

/** The settings, and the problem of each wrong one. */
function readSettings(given: NodeJS.ProcessEnv): { read: Settings; problems: string[] } {
  const problems: string[] = [];
  const values = Object.entries(settings).map(([name, read]) => {
    const { text, variables } = textOf(name, given);
    try {
      return [name, read(text)];
    } catch (error) {
      if (!(error instanceof WrongText)) throw error;
      const source = variables.length === 0 ? '' : `; the rest comes from ${variables.join(', ')}`;
      problems.push(`${name}: ${error.message}${source}`);
      return [name, undefined];
    }
  });
  // The type of a wrong one does not matter: its problem stops the start.
  return { read: Object.fromEntries(values) as Settings, problems };
}

/** The settings of the store that have no effect, since there is no bucket. */
const findWithoutBucket = ({ S3_BUCKET, S3_ENDPOINT, S3_REGION }: Settings): string[] =>
  Object.entries({ S3_ENDPOINT, S3_REGION })
    .filter(([, value]) => S3_BUCKET === undefined && value !== undefined)
    .map(([name]) => `${name}: needs S3_BUCKET beside it`);

/** The embedded PostgreSQL has no replica, and no other tables than ours. */
const findWithoutPrimary = ({ DATABASE_URL, DATABASE_READ_URL, DATABASE_SCHEMA }: Settings): string[] =>
  Object.entries({ DATABASE_READ_URL, DATABASE_SCHEMA })
    .filter(([, value]) => DATABASE_URL === undefined && value !== undefined)
    .map(([name]) => `${name}: needs DATABASE_URL beside it`);

/**
 * The settings of `environment`, frozen.
 * @throws ConfigError with one line for each wrong setting. A line never holds the value, which may be a secret.
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const given = withoutEmptyValues(environment);
  const padded = findPaddedValues(given).map((name) => `${name}: must not begin or end with white space`);
  const { read, problems } = readSettings(given);
  const combined = [...findWithoutBucket(read), ...findWithoutPrimary(read), ...findModelProblems(given)];
  const all = [...padded, ...problems, ...combined];
  if (all.length === 0) return toConfig(read, given);
  throw new ConfigError(`Wrong settings:\n${all.map((problem) => `  ${problem}`).join('\n')}`);
}
