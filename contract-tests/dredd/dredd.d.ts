/**
 * The used part of Dredd 14, which has no types of its own.
 * Documentation: https://dredd.org/en/latest/data-structures.html
 */
declare module 'dredd' {
  /** A request as Dredd sends it; `body` undefined: none. */
  type DreddRequest = { method: string; headers: Record<string, unknown>; body?: string | undefined };

  /** One request and the response that is expected of it; hooks change it in place. */
  export type DreddTransaction = {
    /** Method, status and path: what Dredd calls it in its report. */
    id: string;
    name: string;
    protocol: string;
    host: string;
    port: string;
    fullPath: string;
    request: DreddRequest;
    expected: { statusCode: string; headers: Record<string, string>; body?: string };
    /** What has come back; undefined before the request, and where none came. */
    real?: { statusCode: number; headers: Record<string, string>; body?: string };
    origin: { resourceName: string };
    /** Why the hooks let it fail. */
    fail?: boolean | string;
    skip: boolean;
    test?: { valid?: boolean; message: string };
  };

  /** Hooks that take a second parameter call it when they are done; Dredd knows no promises. */
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
    /** For each request. */
    http: { timeout: number };
    path: string[];
    apiDescriptions: { location: string; content: string }[];
    hookfiles: string[];
    loglevel: 'silent' | 'error' | 'warning' | 'debug';
    color: boolean;
  };

  // biome-ignore lint/style/noDefaultExport: it is what the package exports
  export default class Dredd {
    constructor(configuration: DreddConfiguration);
    run(done: (error: Error | null | undefined, stats: DreddStats) => void): void;
  }
}

declare module 'dredd/build/reporters/reporterOutputLogger.js' {
  const logger: { default: { transports: { console: { silent: boolean } } } };
  // biome-ignore lint/style/noDefaultExport: it is what the package exports
  export default logger;
}
