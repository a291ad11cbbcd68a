/**
 * Ends a server or command when the npm that started it ends. npm sends SIGTERM only to the shell between them,
 * and a shell forwards nothing: the server would run on unseen, and keep its port and its data.
 */
const LOOK_INTERVAL_MS = 500;
/** The shell, or the process of bin/knowledge-retrieval.mjs that chose this Node. */
const parent = process.ppid;

const looking = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(looking);
  process.kill(process.pid, 'SIGTERM');
}, LOOK_INTERVAL_MS);
looking.unref();
