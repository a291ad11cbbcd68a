/** The settings of the embedded PostgreSQL, given on its command line so that they are always those of the code. */

/** Names the socket file, `.s.PGSQL.5432`; there is no TCP port. */
export const socketPort = 5432;

const tuning = {
  // Backups copy the stopped directory or use pg_dump: no replication, hence less to write.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  // Otherwise each checkpoint writes a file of replication origins, and PostgreSQL panics when a full disk has no
  // space for it.
  max_active_replication_origins: '0',
  // Pages outside of them are mostly in the system's cache. Searches among 90,000 passages take .99 of the processor
  // time that they take with the default of 128MB, and 1.08 of it with 64MB.
  shared_buffers: '96MB',
  // Sorts and bitmaps of one ranked query; the default 4MB makes large bitmaps lossy.
  work_mem: '16MB',
  // For index builds and the maintenance of the GIN index. PostgreSQL would start three cleaners with as much each.
  maintenance_work_mem: '64MB',
  autovacuum_work_mem: '16MB',
  autovacuum_max_workers: '1',
  // Pays for long analytical queries only (manual, 30.2), and ranked ones are short.
  jit: 'off',
  // A search reads some hundred pages one by one, nearly all of them from the system's cache. Passing them to
  // PostgreSQL 18's workers takes longer than reading them. Prefetching from the disk works without them.
  io_method: 'sync',
  // Solid state disks; the default 4 is for rotating ones.
  random_page_cost: '1.1',
  // Many short queries at once gain nothing from parallel workers, whose segments must fit Docker's 64 MB of /dev/shm.
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',
  timezone: 'UTC',
};

const logging = {
  // To our pipe, where the start waits for the readiness line.
  log_destination: 'stderr',
  logging_collector: 'off',
  log_min_messages: 'warning',
  log_line_prefix: '',
  lc_messages: 'C',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // Without DETAIL, which quotes rows: customers' texts and keys stay out of the log.
  log_error_verbosity: 'terse',
};

/** A crash of the machine may destroy such a database; for tests. */
const volatile = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** The arguments of `postgres` for one cluster; `durable: false` trades the disk's guarantees for speed. */
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
