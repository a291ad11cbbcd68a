/** A whole service over HTTP in the test's own process, on a database of its own. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { readConfig } from '../../config/config.ts';
import type { Connection } from '../../database/connection/pool.ts';
import { createMigratedDatabase } from '../../database/testing/test-database.ts';
import { drain, listen } from '../../http/server/server.ts';
import type { OpenService } from '../open-service.ts';
import { openService } from '../open-service.ts';
import { apiKeyFile } from '../secrets/secret-files.ts';
import { createServiceApp } from '../service-app.ts';

export type TestService = {
  service: OpenService;
  address: string;
  apiKey: string;
  /**
   * Sends a body to an operation (none: GET), bytes as they are, all else as JSON. Returns status, headers and the
   * parsed answer.
   */
  call(operation: string, body?: unknown): Promise<{ status: number; headers: Headers; body: TestAnswer }>;
  close(): Promise<void>;
};

/** The envelope. `data`: the payload of the operation. */
export type TestAnswer = {
  success: boolean;
  errorCode?: string;
  message?: string;
  data: Record<string, unknown>;
};

/** Calls operations of the service at `address`; see `TestService`. */
const callsAt =
  (address: string, apiKey: string): TestService['call'] =>
  async (operation, body) => {
    const isBytes = body instanceof Uint8Array;
    const mediaType = isBytes ? 'application/octet-stream' : 'application/json';
    const response = await fetch(`${address}/v1/${operation}`, {
      headers: { 'x-api-key': apiKey, 'content-type': mediaType },
      ...(body !== undefined && {
        method: 'POST',
        body: isBytes ? new Uint8Array(body) : JSON.stringify(body),
      }),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as TestAnswer,
    };
  };

/**
 * Starts the service, which checks every answer against the spec. `settings`: further environment variables. `change`
 * replaces parts of the service, for example to let one fail. `connection`: the database; by default a new one.
 * Without workers nothing runs but the requests of the test. `log`: by default nothing is logged.
 */
export async function startTestService({
  settings = {},
  change = () => ({}),
  connection: given,
  runsWorkers = true,
  log = pino({ level: 'silent' }),
}: {
  settings?: Record<string, string>;
  change?: (service: OpenService) => Partial<OpenService>;
  connection?: Connection;
  runsWorkers?: boolean;
  log?: Logger;
} = {}): Promise<TestService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-service-'));
  const { connection, drop } = given
    ? { connection: given, drop: async () => {} }
    : await createMigratedDatabase();
  const environment = {
    DATA_DIR: dataDir,
    PORT: '0',
    VALIDATE_RESPONSES: 'true',
  };
  const config = readConfig({ ...environment, ...settings });
  const opened = await openService(config, { connection, log, runsWorkers });
  const service = { ...opened.service, ...change(opened.service) };
  const { server, address } = await listen(await createServiceApp(service), config);
  const apiKey = config.bootstrapApiKey ?? (await readFile(apiKeyFile(config), 'utf8')).trim();

  return {
    service,
    address,
    apiKey,
    call: callsAt(address, apiKey),
    async close() {
      service.longPolls.end();
      await drain(server, 1_000);
      await opened.close();
      await drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
