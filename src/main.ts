/** The server: settings, database, service, HTTP; then the way back on SIGTERM. The only file that listens or exits. */
import { createApp } from './app.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { apiKeyFile } from './first-start.ts';
import { createLog } from './log.ts';
import { openDatabase } from './open-database.ts';
import { openService } from './open-service.ts';
import { drain, listen } from './server.ts';

/** Answers that run when the signal comes have this long; the whole way back takes less than ten seconds. */
const DRAIN_TIMEOUT_MS = 4_000;

/** What a newcomer needs: the address, where the key is, and a request to paste. */
function greeting(address: string, config: Config): string {
  const key = config.bootstrapApiKey === undefined ? `$(cat ${apiKeyFile(config)})` : '$BOOTSTRAP_API_KEY';
  return [
    `The knowledge retrieval service answers at ${address}`,
    config.bootstrapApiKey === undefined
      ? `The API key is in ${apiKeyFile(config)}`
      : 'The API key is BOOTSTRAP_API_KEY',
    'A first request:',
    `  curl -s ${address}/v1/createKnowledgeBase -H "x-api-key: ${key}" -H 'content-type: application/json' -d '{"name":"First"}'`,
    '',
  ].join('\n');
}

async function serve(): Promise<void> {
  const config = readConfig();
  const log = createLog(config.logLevel);
  const { connection, close: closeDatabase } = await openDatabase(config, log);
  const { service, close: closeService } = await openService(config, { connection, log });
  const app = await createApp(service);
  const { server, address } = await listen(app.callback(), config);
  process.stdout.write(greeting(config.baseUrl ?? address, config));

  const stop = async (signal: string) => {
    log.info({ signal }, 'stopping');
    await drain(server, DRAIN_TIMEOUT_MS);
    await closeService();
    await closeDatabase();
    process.exit(0);
  };
  process.once('SIGTERM', stop).once('SIGINT', stop).once('SIGHUP', stop);
}

try {
  await serve();
} catch (error) {
  // Settings and directories are the operator's matter: a sentence helps more than a stack.
  const isOperators =
    error instanceof ConfigError || (error instanceof Error && !(error instanceof TypeError));
  process.stderr.write(`${isOperators ? error.message : (error as Error).stack}\n`);
  process.exit(1);
}
