/**
 * The used part of Dredd 14, which has no types of its own.
 * Documentation: https://dredd.org/en/latest/data-structures.html
 */
declare module 'dredd' {
  /** A request as Dredd sends it. `body` undefined: no body. */
  type DreddRequest = { method: string; headers: Record<string, unknown>; body?: string | undefined };

  /** One request and its expected response. Hooks change it in place. */
  export type DreddTransaction = {
    /** The name in Dredd's report: method, status and path. */
    id: string;
    name: string;
    protocol: string;
    host: string;
    port: string;
    fullPath: string;
    request: DreddRequest;
    expected: { statusCode: string; headers: Record<string, string>; body?: string };
    /** The response; undefined before it came, or if none came. */
    real?: { statusCode: number; headers: Record<string, string>; body?: string };
    origin: { resourceName: string };
    /** The reason of a failure that a hook has set. */
    fail?: boolean | string;
    skip: boolean;
    test?: { valid?: boolean; message: string };
  };

  /** Dredd ignores promises: a hook calls `done` at its end. */
  type Hook<Data> = (data: Data, done: () => void) => void;
  export type DreddHooks = {
    beforeEach(hook: Hook<DreddTransaction>): void;
    afterEach(hook: Hook<DreddTransaction>): void;
  };

  export type DreddStats = {
    tests: number;
    passes: number;
    failures: number;
    errors: number;
    skipped: number;
  };

  type DreddConfiguration = {
    endpoint: string;
    /** The time-out of each request, in milliseconds. */
    http: { timeout: number };
    path: string[];
    apiDescriptions: { location: string; content: string }[];
    hookfiles: string[];
    loglevel: 'silent' | 'error' | 'warning' | 'debug';
    color: boolean;
  };

  // biome-ignore lint/style/noDefaultExport: the package has a default export
  export default class Dredd {
    constructor(configuration: DreddConfiguration);
    run(done: (error: Error | null | undefined, stats: DreddStats) => void): void;
  }
}

declare module 'dredd/build/reporters/reporterOutputLogger.js' {
  const logger: { default: { transports: { console: { silent: boolean } } } };
  // biome-ignore lint/style/noDefaultExport: the package has a default export
  export default logger;
}
