/** Ends a PostgreSQL whose service was killed and has not restarted. */
import { spawn } from 'node:child_process';
import { childEnvironment, type Launch } from './postgres-programs.ts';

/** Time for the next start of the service. Other servers and workers can use the database meanwhile. */
const GRACE_SECONDS = 20;

/**
 * Waits for the end of its input: the pipe closes when the service ends in any way. Then it waits for the grace period,
 * and checks each second that the postmaster still runs, by process id and cluster, since ids are reused. Then it sends
 * increasingly strong signals (PostgreSQL manual, 18.5). A shell takes 1 MB of memory, Node would take 40.
 */
const script = `
pid=$1 cluster=$2 grace=$3
runs() {
  if [ -d /proc/self ]; then grep -qF -- "$cluster" "/proc/$pid/cmdline"
  else ps -ww -o command= -p "$pid" | grep -qF -- "$cluster"
  fi
}
exit_once_ended_within() {
  left=$1
  while [ "$left" -gt 0 ]; do
    runs || exit 0
    sleep 1
    left=$((left - 1))
  done
}
read -r line
exit_once_ended_within "$grace"
kill -s INT "$pid"
exit_once_ended_within 20
kill -s QUIT "$pid"
exit_once_ended_within 5
kill -s KILL "$pid"
`;

/** `pid`: the postmaster's; `launch`: the postmaster's own, since only its account may inspect and end it. */
export type Watched = { pid: number; cluster: string; launch: Launch; graceSeconds: number | undefined };

/**
 * Starts the watch; returns a function that ends it, to be called when the postmaster has ended. If no shell is
 * installed there is no watch, and the next start ends the remaining processes.
 */
export function watchForOrphan({
  pid,
  cluster,
  launch,
  graceSeconds: grace = GRACE_SECONDS,
}: Watched): () => void {
  const command = [...launch.prefix, 'sh', '-c', script, 'knowledge-retrieval-watch', pid, cluster, grace];
  const [file = '', ...args] = command.map(String);
  const watch = spawn(file, args, {
    ...launch.account,
    cwd: '/',
    env: childEnvironment,
    // A session of its own: a signal to the terminal's processes must not end it before the service.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watch.on('error', () => {});
  watch.stdin.on('error', () => {});
  watch.unref();
  return () => void watch.kill('SIGKILL');
}
