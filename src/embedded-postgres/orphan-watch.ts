/** Ends a PostgreSQL whose service was killed and did not come back. */
import { spawn } from 'node:child_process';
import { childEnvironment, type Launch } from './postgres-programs.ts';

/** For the next start to take the cluster over; servers and workers beside the killed one go on meanwhile. */
const graceSeconds = 20;

/**
 * Waits for the end of its input, which is the end of the service however that dies, and then for the grace. Each second
 * it looks whether the postmaster still runs, by its number and its cluster: a number may be given away again. Then it
 * sends signals by rising force, as PostgreSQL's manual, 18.5, has them. A shell takes 1 MB, where Node takes 40.
 */
const script = `
pid=$1 cluster=$2 grace=$3
runs() {
  if [ -d /proc/self ]; then grep -qF -- "$cluster" "/proc/$pid/cmdline"
  else ps -ww -o command= -p "$pid" | grep -qF -- "$cluster"
  fi
}
outlasts() {
  left=$1
  while [ "$left" -gt 0 ]; do
    runs || exit 0
    sleep 1
    left=$((left - 1))
  done
}
read -r line
outlasts "$grace"
kill -s INT "$pid"
outlasts 20
kill -s QUIT "$pid"
outlasts 5
kill -s KILL "$pid"
`;

/** `pid`: the postmaster's; `launch`: its own, since nobody else may look at it and end it. */
export type Watched = { pid: number; cluster: string; launch: Launch; graceSeconds: number | undefined };

/**
 * Starts to watch; gives what ends the watch, to be called when the postmaster has ended.
 * Without a shell there is no watch: then the next start ends what is left.
 */
export function watchForOrphan({
  pid,
  cluster,
  launch,
  graceSeconds: grace = graceSeconds,
}: Watched): () => void {
  const command = [...launch.prefix, 'sh', '-c', script, 'knowledge-retrieval-watch', pid, cluster, grace];
  const [file = '', ...args] = command.map(String);
  const watch = spawn(file, args, {
    ...launch.account,
    cwd: '/',
    env: childEnvironment,
    // A session of its own: what ends the terminal's processes is not to end it before the service.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watch.on('error', () => {});
  watch.stdin.on('error', () => {});
  watch.unref();
  return () => void watch.kill('SIGKILL');
}
