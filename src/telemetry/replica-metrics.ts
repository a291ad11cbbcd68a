/** Metrics of the read replica. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ReplicaFigures } from './telemetry.ts';

/** Returns a function that updates the metrics. */
export function measureReplica(
  readFigures: () => Promise<ReplicaFigures>,
  { prefix, registers }: { prefix: string; registers: Registry[] },
): () => Promise<void> {
  const queries = new Counter({
    name: `${prefix}queries_total`,
    help: 'Queries by the database that has answered them: the replica of DATABASE_READ_URL, or the primary.',
    labelNames: ['database'],
    registers,
  });
  const inUse = new Gauge({
    name: `${prefix}replica_in_use`,
    help: '1: queries run on the replica. 0: it cannot be read now, and they run on the primary.',
    registers,
  });
  const lag = new Gauge({
    name: `${prefix}replica_lag_bytes`,
    help: "What the replica has left to replay of the primary's log; missing while it does not answer.",
    registers,
  });
  return async () => {
    const { onReplica, onPrimary, isInUse, lagBytes } = await readFigures();
    queries.reset();
    queries.inc({ database: 'replica' }, onReplica);
    queries.inc({ database: 'primary' }, onPrimary);
    inUse.set(isInUse ? 1 : 0);
    if (lagBytes === undefined) lag.remove();
    else lag.set(lagBytes);
  };
}
