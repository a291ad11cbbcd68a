/** The settings of the embedded PostgreSQL. They are passed on its command line, so that no file can change them. */

import { MACHINE_MEMORY } from '../config/machine-memory.ts';

/** Names the socket file, `.s.PGSQL.5432`; there is no TCP port. */
export const socketPort = 5432;

const MEBIBYTE = 2 ** 20;
/**
 * PostgreSQL's own cache: a 32nd of the machine's memory, taken as its pages are used. Other pages come from the
 * system's cache: each is copied, and its checksum computed. With 768 MB instead of 96, searches among 150,000 passages
 * take .78 of the processor time; with 64 instead of 96, searches among 90,000 take 1.09.
 */
const SHARED_BUFFERS_MB = Math.min(1024, Math.max(96, Math.floor(MACHINE_MEMORY / 32 / MEBIBYTE)));

const tuning = {
  // There is no replication: backups use SQL, or copy the stopped directory. So less has to be written.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  // Otherwise each checkpoint writes a file of replication origins, and PostgreSQL panics when a full disk has no
  // space for it.
  max_active_replication_origins: '0',
  shared_buffers: `${SHARED_BUFFERS_MB}MB`,
  // Sorts and bitmaps of one ranked query; the default 4MB makes large bitmaps lossy.
  work_mem: '16MB',
  // For index builds and the maintenance of the GIN index. By default three autovacuum workers would use as much each.
  maintenance_work_mem: '64MB',
  autovacuum_work_mem: '16MB',
  autovacuum_max_workers: '1',
  // So that what a failed import leaves is removed within a minute. The default is a minute.
  autovacuum_naptime: '20s',
  // It pays off for long analytical queries only (manual, 30.2); searches are short.
  jit: 'off',
  // A search reads some hundred pages one by one, nearly all from the system's cache. Passing these reads to
  // PostgreSQL 18's I/O workers takes longer than the reads. Prefetching from the disk works without workers.
  io_method: 'sync',
  // Solid state disks; the default 4 is for rotating ones.
  random_page_cost: '1.1',
  // Many short queries at once gain nothing from parallel workers, whose segments must fit Docker's 64 MB of /dev/shm.
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',
  timezone: 'UTC',
};

const logging = {
  // The log goes to the pipe on which `launchServer` waits for the readiness line.
  log_destination: 'stderr',
  logging_collector: 'off',
  log_min_messages: 'warning',
  log_line_prefix: '',
  lc_messages: 'C',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // Without DETAIL, which quotes rows: customers' texts and keys must not be in the log.
  log_error_verbosity: 'terse',
};

/** For tests: a crash of the machine may destroy such a database. */
const volatile = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** Returns the arguments of `postgres` for one cluster; `durable: false` gives up durability for speed. */
export function serverArguments(options: {
  cluster: string;
  socketDirectory: string;
  durable: boolean;
}): string[] {
  const settings = {
    ...tuning,
    ...logging,
    ...(options.durable ? {} : volatile),
    listen_addresses: '',
    port: String(socketPort),
    // A list of names; quotes prevent a split at a comma in the path.
    unix_socket_directories: `"${options.socketDirectory.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
  };
  return [
    '-D',
    options.cluster,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}
