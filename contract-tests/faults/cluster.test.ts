/**
 * The set of scripts/deploy/cluster as processes: two servers and a worker with its settings, PostgreSQL, and Ceph in
 * place of Garage, behind HAProxy with its configuration. The contract holds through the proxy, and a rolling restart
 * under load, in the order that the file tells, fails no request.
 */
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkContract } from '../../src/contract-check/check-contract.ts';
import { createCaller } from '../../src/contract-check/requests/calling.ts';
import { useEverything, useUntil } from '../harness/load/use-everything.ts';
import { type Cluster, hasS3, withCluster } from '../harness/service/cluster.ts';
import { haproxy, startHaproxy } from '../harness/service/haproxy.ts';
import { type RunningProgram, root, type Settings } from '../harness/service/service-process.ts';
import { readCompose } from '../slow/operators/compose-file.ts';
import { findPort } from '../slow/operators/installed-package.ts';

const { services } = readCompose<'server-1' | 'worker'>(join(root, 'scripts/deploy/cluster/compose.yaml'));
const { SHUTDOWN_DELAY_SECONDS = '', S3_BUCKET = '' } = services['server-1'].environment;

/** Clients, each with one request at a time. */
const CLIENTS = 4;
/** How often each process is restarted. */
const TIMES = 3;

type Ports = { server1: string; server2: string; worker: string; proxy: string };

/** Starts one of the set's processes by its name. Ports stay, as the names of containers do. */
const startPart = (cluster: Cluster, ports: Ports, common: Settings) => async (name: keyof Ports) =>
  name === 'worker'
    ? await cluster.startWorker({ ...common, WORKER_PORT: ports.worker })
    : await cluster.startServer({ ...common, PORT: ports[name] });

test.skipIf(haproxy === undefined || !hasS3())(
  'the contract holds behind HAProxy, and a rolling restart under load fails no request',
  async () => {
    const ports = {
      server1: await findPort(),
      server2: await findPort(),
      worker: await findPort(),
      proxy: await findPort(),
    };
    const address = `http://127.0.0.1:${ports.proxy}`;
    const settings = { BASE_URL: address, SHUTDOWN_DELAY_SECONDS, VALIDATE_RESPONSES: 'true' };
    await withCluster({ store: 's3', bucket: S3_BUCKET, settings }, async (cluster) => {
      const log: string[] = [];
      const proxy = await startHaproxy(
        Number(ports.proxy),
        {
          SERVER_1: `127.0.0.1:${ports.server1}`,
          SERVER_2: `127.0.0.1:${ports.server2}`,
          STORE: new URL(cluster.store?.endpoint ?? '').host,
        },
        (text) => void log.push(text),
      );
      onTestFinished(proxy.stop);
      const start = startPart(cluster, ports, { S3_ENDPOINT: address });
      const parts = new Map<keyof Ports, RunningProgram>();
      for (const name of ['server1', 'server2', 'worker'] as const) parts.set(name, await start(name));

      const { apiKey } = cluster;
      const printed: string[] = [];
      const print = (lines: string) => void printed.push(lines);
      const code = await checkContract({ address, apiKey }, { timeoutSeconds: 120, print, note: print });
      expect([code, ...(code === 0 ? [] : printed)]).toEqual([0]);

      const caller = createCaller({ address, apiKey });
      const ending = new AbortController();
      const using = Promise.all(Array.from({ length: CLIENTS }, () => useUntil(ending.signal, caller)));
      const restarting = async () => {
        for (let time = 0; time < TIMES; time++)
          for (const name of parts.keys()) {
            await parts.get(name)?.stop();
            parts.set(name, await start(name));
          }
        await useEverything(caller);
      };
      await Promise.race([restarting(), using]).finally(() => ending.abort());
      expect(Math.min(...(await using))).toBeGreaterThan(0);
      process.stdout.write(`rounds of all operations during ${TIMES} rolling restarts: ${await using}\n`);
      expect(log.join('')).not.toContain('signature=');
    });
  },
);
