/** The server that a command calls by the public interface, and the key for it. */
import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { createKnowledgeRetrieval, type KnowledgeRetrieval } from '../../client/client.ts';
import type { KnowledgeRetrievalSettings } from '../../client/settings.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { findRunningServers, requireProven } from '../../serve/discovery/running-servers.ts';
import { apiKeyFile } from '../../serve/secrets/secret-files.ts';
import { codeOf } from '../../terms/problem.ts';
import { readAddress } from './service-address.ts';

export type RemoteOptions = { url?: string; key?: string };

const HELP_GROUP = 'The service:';

/** Adds the options that `connect` reads. They also come from the environment. */
export const withRemote = (command: Command): Command =>
  command
    .addOption(
      new Option('--url <address>', 'its address; default: the service of this directory')
        .env('KNOWLEDGE_URL')
        .argParser(readAddress)
        .helpGroup(HELP_GROUP),
    )
    .addOption(
      new Option(
        '--key <key>',
        'its API key; default: the one in .data/api-key. Other users of this machine see a key that stands here (ps)',
      )
        .env('KNOWLEDGE_API_KEY')
        .helpGroup(HELP_GROUP),
    );

/** @throws an error for the user when there is none */
async function readLocalKey(): Promise<string> {
  const file = apiKeyFile(readConfig());
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    throw new Error(`There is no key: give --key or KNOWLEDGE_API_KEY. ${file} does not exist.`);
  }
}

/** The address of the server that runs on DATA_DIR. @throws a sentence for the user when there is none */
async function findServer(config: Config): Promise<string> {
  const servers = (await findRunningServers(config)).filter(({ role }) => role === 'server');
  const [first] = requireProven(servers, config);
  return first.address;
}

/** How long people wait for a service that is overloaded, in milliseconds. */
const PATIENCE_MS = 30_000;

/**
 * Address and key of the service that the options name, or of the service whose data directory is here.
 * @throws an error for the user when the key is missing
 */
export async function readTarget({ url, key }: RemoteOptions): Promise<{ baseUrl: string; apiKey: string }> {
  if (url !== undefined && key === undefined)
    throw new Error('Give the key of that service too: --key or KNOWLEDGE_API_KEY.'); // never send the local one abroad
  return {
    baseUrl: url ?? (await findServer(readConfig())),
    apiKey: key ?? (await readLocalKey()),
  };
}

/**
 * A client of that service.
 * @throws an error for the user when address or key are missing or wrong
 */
export const connect = async (
  options: RemoteOptions,
  settings: Pick<KnowledgeRetrievalSettings, 'concurrency' | 'deadlineMs'> = { deadlineMs: PATIENCE_MS },
): Promise<KnowledgeRetrieval> => createKnowledgeRetrieval({ ...(await readTarget(options)), ...settings });
