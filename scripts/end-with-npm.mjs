/**
 * Ends a server when the npm that started it ends. npm passes SIGTERM on to the shell between them, and a shell passes
 * nothing on: the server would go on, unseen, and keep its port and its data.
 */
const LOOK_INTERVAL_MS = 500;
const shell = process.ppid;

const looking = setInterval(() => {
  if (process.ppid === shell) return;
  clearInterval(looking);
  process.kill(process.pid, 'SIGTERM');
}, LOOK_INTERVAL_MS);
looking.unref();
