/** Servers and workers apart, on one database and one store of files, as on machines of their own. */
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../../src/embedded-postgres/embedded-postgres.ts';
import { hasRealStore, openRealStore, type RealStore } from '../../../src/files/testing/real-store.ts';
import { spawnCommand } from './command-line.ts';
import { findGivenUrl } from './given-database.ts';
import { databaseUrlOf } from './service-database.ts';
import {
  environmentOf,
  makeDataDirectory,
  type RunningProgram,
  type RunningService,
  removeDataDirectory,
  type Settings,
  startSecondServer,
  startWorker,
} from './service-process.ts';

export type Cluster = {
  apiKey: string;
  /** Starts a server, which answers requests only. `settings`: further ones. */
  startServer(settings?: Settings): Promise<RunningService>;
  startWorker(settings?: Settings): Promise<RunningProgram>;
  databaseUrl: string;
  /** Undefined: the machines share a directory. */
  store: RealStore | undefined;
  /** Stops the database and the store, after the servers and workers that still run. */
  stop(): Promise<void>;
};

/** `store`: where S3 is not installed, a directory that all machines share takes its place. */
export type ClusterOptions = { settings?: Settings; store: 's3' | 'directory'; bucket?: string };

/** Whether there is a store for 's3'. */
export const hasS3 = hasRealStore;

const settingsOfStore = ({ endpoint, bucket, region, credentials }: RealStore): Settings => ({
  S3_ENDPOINT: endpoint,
  S3_BUCKET: bucket,
  S3_REGION: region,
  ...(credentials && {
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  }),
});

/** Starts the database and the store; neither servers nor workers. */
export async function startCluster({ settings = {}, store: kind, bucket }: ClusterOptions): Promise<Cluster> {
  const directory = await makeDataDirectory();
  const [database, opened, { output }] = await Promise.all([
    findGivenUrl(directory)
      ? undefined
      : startEmbeddedPostgres({ directory, durable: false, onLog: () => {} }),
    kind === 's3' && hasS3() ? openRealStore(bucket) : undefined,
    spawnCommand(environmentOf(directory), 'keys', 'generate'),
  ]);
  const [databaseUrl, apiKey] = [databaseUrlOf(directory), output.trim()];
  const common: Settings = {
    ...settings,
    ...(opened && settingsOfStore(opened.store)),
    DATABASE_URL: databaseUrl,
    BOOTSTRAP_API_KEY: apiKey,
    UPLOAD_SECRET: randomBytes(32).toString('hex'),
  };
  const machines = [directory];
  const openMachine = async (): Promise<string> => {
    const machine = join(directory, opened ? `machine-${machines.length}` : 'shared');
    await mkdir(machine, { recursive: true });
    machines.push(machine);
    return machine;
  };
  return {
    apiKey,
    databaseUrl,
    store: opened?.store,
    startServer: async (further) =>
      await startSecondServer(
        await openMachine(),
        { ...common, ...further },
        { databaseUrl, options: ['--no-worker'] },
      ),
    startWorker: async (further) =>
      await startWorker(await openMachine(), { settings: { ...common, ...further } }),
    async stop() {
      for (const machine of machines.slice(1)) await removeDataDirectory(machine);
      await opened?.close();
      await database?.stop();
      await removeDataDirectory(directory);
    },
  };
}

/** Runs `use` with a cluster without servers. Afterwards stops everything that still runs in it. */
export async function withCluster<T>(
  options: ClusterOptions,
  use: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const cluster = await startCluster(options);
  return await use(cluster).finally(cluster.stop);
}
