/** Reads the settings from the environment: the only reader of `process.env`. Reports all problems at once. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { isApiKey } from '../api-key.ts';
import { type CorsOrigins, readOrigins } from './cors.ts';
import { findMistypedNames, type MistypedName } from './setting-names.ts';

const between = (least: number, most: number) => {
  const wanted = `must be a whole number from ${least} to ${most}`;
  const inRange = z.number(wanted).min(least, wanted).max(most, wanted);
  return z.string().regex(/^\d+$/, wanted).transform(Number).pipe(inRange);
};

const wholeNumber = (fallback: number, least = 0, most = Number.MAX_SAFE_INTEGER) =>
  between(least, most).prefault(String(fallback));

const flag = z
  .enum(['true', 'false'], 'must be true or false')
  .prefault('false')
  .transform((value) => value === 'true');

const httpAddress = () => z.url({ protocol: /^https?$/, error: 'must be an http(s) address', abort: true });

/** Whether an address has no user, password, query or fragment, so that paths can be appended to it. */
const hasOriginAndPathOnly = (address: string): boolean => {
  const { username, password, search, hash } = new URL(address);
  return [username, password, search, hash].every((part) => part === '');
};

/** The minimum length of the secret that signs upload addresses. */
export const UPLOAD_SECRET_LENGTH = 32;

/** The minimum length of the metrics token: 16 random characters cannot be guessed. */
const METRICS_TOKEN_LENGTH = 16;

/** A list of origins. Each is checked: an origin that no browser sends would silently match no page. */
const origins = z.string().transform((list, context) => {
  const read = readOrigins(list);
  if (read !== undefined) return read;
  const message = 'must be * or origins such as https://app.example.org, with commas between';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

/** Checked here, since the SDK's own warning would log the address, which may hold a password. */
const collector = httpAddress().optional();

const GIBIBYTE = 1024 ** 3;

/** A week: the longest validity of an S3 signature (Amazon S3 API reference, X-Amz-Expires). */
const LONGEST_TICKET_SECONDS = 604_800;

/** A week: pg-boss deletes jobs after two weeks of waiting. */
const LONGEST_IMPORT_WAIT_SECONDS = 604_800;

/** Thirty days. A larger value is probably in another unit. */
const LONGEST_WEBHOOK_RETRY_SECONDS = 2_592_000;

/** A page of listWebhooks holds this many at most, each with the log of its deliveries. */
const MOST_WEBHOOKS = 1_000;

/** No balancer takes longer to notice. A larger value is probably in another unit. */
const LONGEST_SHUTDOWN_DELAY_SECONDS = 300;

/** The levels of Pino. */
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/**
 * One line for each setting. The README's table lists the same names, and OpenTelemetry's variables in one row. An
 * empty value counts as unset.
 */
const settings = z
  .object({
    HOST: z.string().default('127.0.0.1'),
    PORT: wholeNumber(8080, 0, 65_535),
    WORKER_PORT: between(0, 65_535).optional(),
    SHUTDOWN_DELAY_SECONDS: wholeNumber(0, 0, LONGEST_SHUTDOWN_DELAY_SECONDS),
    BASE_URL: httpAddress()
      .refine(hasOriginAndPathOnly, 'must have no more than an origin and a path')
      .optional(),
    DATA_DIR: z.string().default('./.data'),
    DATABASE_URL: z
      .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address', abort: true })
      .regex(/^\w+:\/\//, 'must be a postgres:// address')
      .optional(),
    DATABASE_POOL_SIZE: wholeNumber(16, 2, 1000),
    BOOTSTRAP_API_KEY: z
      .string()
      .refine(isApiKey, 'must be a key made by `npx knowledge-retrieval keys generate`')
      .optional(),
    UPLOAD_SECRET: z
      .string()
      .min(UPLOAD_SECRET_LENGTH, `must have ${UPLOAD_SECRET_LENGTH} characters or more`)
      .optional(),
    S3_BUCKET: z.string().optional(),
    S3_ENDPOINT: httpAddress().optional(),
    S3_REGION: z.string().optional(),
    STORAGE_LIMIT_BYTES: wholeNumber(10 * GIBIBYTE),
    KNOWLEDGE_BASE_LIMIT: wholeNumber(1000),
    INITIAL_CREDITS: wholeNumber(1_000_000_000),
    CREDITS_PER_QUERY: wholeNumber(1),
    UPLOAD_TICKET_TTL_SECONDS: wholeNumber(3600, 1, LONGEST_TICKET_SECONDS),
    IMPORT_TIMEOUT_SECONDS: wholeNumber(600, 1),
    IMPORT_WAIT_SECONDS: wholeNumber(86_400, 1, LONGEST_IMPORT_WAIT_SECONDS),
    RATE_LIMIT_PER_MINUTE: wholeNumber(0),
    WEBHOOK_LIMIT: wholeNumber(10, 0, MOST_WEBHOOKS),
    WEBHOOK_RETRY_SECONDS: wholeNumber(259_200, 1, LONGEST_WEBHOOK_RETRY_SECONDS),
    WEBHOOK_PRIVATE_NETWORKS: z.enum(['refuse', 'allow'], 'must be refuse or allow').default('refuse'),
    CORS_ORIGIN: origins.optional(),
    VALIDATE_RESPONSES: flag,
    METRICS_TOKEN: z
      .string()
      .min(METRICS_TOKEN_LENGTH, `must have ${METRICS_TOKEN_LENGTH} characters or more`)
      .optional(),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector,
    OTEL_TRACES_EXPORTER: z.string().optional(),
    OTEL_SDK_DISABLED: z.string().optional(),
    LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
  })
  .superRefine(({ S3_BUCKET, S3_ENDPOINT, S3_REGION }, context) => {
    if (S3_BUCKET !== undefined) return;
    for (const [name, value] of Object.entries({ S3_ENDPOINT, S3_REGION })) {
      if (value !== undefined)
        context.addIssue({ code: 'custom', path: [name], message: 'needs S3_BUCKET beside it' });
    }
  });

type Settings = z.infer<typeof settings>;

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
  dataDir: string;
  /** undefined: the embedded PostgreSQL under `dataDir`. */
  databaseUrl: string | undefined;
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

function toConfig(read: Settings, isPortSet: boolean): Config {
  return Object.freeze({
    host: read.HOST,
    port: read.PORT,
    isPortSet,
    workerPort: read.WORKER_PORT,
    shutdownDelaySeconds: read.SHUTDOWN_DELAY_SECONDS,
    baseUrl: read.BASE_URL?.replace(/\/+$/, ''),
    dataDir: resolve(read.DATA_DIR),
    databaseUrl: read.DATABASE_URL,
    databasePoolSize: read.DATABASE_POOL_SIZE,
    bootstrapApiKey: read.BOOTSTRAP_API_KEY,
    uploadSecret: read.UPLOAD_SECRET,
    s3:
      read.S3_BUCKET === undefined
        ? undefined
        : { bucket: read.S3_BUCKET, endpoint: read.S3_ENDPOINT, region: read.S3_REGION },
    storageLimitBytes: read.STORAGE_LIMIT_BYTES,
    knowledgeBaseLimit: read.KNOWLEDGE_BASE_LIMIT,
    initialCredits: read.INITIAL_CREDITS,
    creditsPerQuery: read.CREDITS_PER_QUERY,
    uploadTicketTtlSeconds: read.UPLOAD_TICKET_TTL_SECONDS,
    importTimeoutSeconds: read.IMPORT_TIMEOUT_SECONDS,
    importWaitSeconds: read.IMPORT_WAIT_SECONDS,
    rateLimitPerMinute: read.RATE_LIMIT_PER_MINUTE,
    webhookLimit: read.WEBHOOK_LIMIT,
    webhookRetrySeconds: read.WEBHOOK_RETRY_SECONDS,
    allowsPrivateReceivers: read.WEBHOOK_PRIVATE_NETWORKS === 'allow',
    corsOrigins: read.CORS_ORIGIN ?? [],
    validateResponses: read.VALIDATE_RESPONSES,
    metricsToken: read.METRICS_TOKEN,
    isTracing: isTracing(read),
    logLevel: read.LOG_LEVEL,
  });
}

const withoutEmptyValues = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));

/**
 * Settings with white space around their values. It would be invisible but significant in a directory or a secret. No
 * setting needs it.
 */
const findPaddedValues = (given: NodeJS.ProcessEnv): string[] =>
  Object.keys(settings.shape).filter((name) => given[name] !== given[name]?.trim());

/** The variables of `environment` that look like mistyped settings. They have no effect. */
export const findMistypedSettings = (environment: NodeJS.ProcessEnv = process.env): MistypedName[] =>
  findMistypedNames(Object.keys(withoutEmptyValues(environment)), Object.keys(settings.shape));

/**
 * The settings of `environment`, frozen.
 * @throws ConfigError with one line for each wrong setting. A line never holds the value, which may be a secret.
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const given = withoutEmptyValues(environment);
  const problems = findPaddedValues(given).map((name) => `${name}: must not begin or end with white space`);
  const result = settings.safeParse(given);
  if (result.success && problems.length === 0)
    return toConfig(result.data, given.PORT !== undefined && result.data.PORT !== 0);
  for (const { path, message } of result.error?.issues ?? []) problems.push(`${path.join('.')}: ${message}`);
  throw new ConfigError(`Wrong settings:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
}
