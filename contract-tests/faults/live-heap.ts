/** Asks a Node process over its inspector how much memory it still needs, once what is not needed is collected. */
import { once } from 'node:events';

/** What Node writes to standard error when it is started with --inspect. */
const GREETING = /ws:\/\/\S+/;

/** What else it writes of it. */
const INSPECTOR_TALK = /^(Debugger |For help, see)/;

/** The start options of a service whose heap can be asked for, and how to ask: bytes after a full collection. */
export function watchHeap() {
  let log = '';
  const address = Promise.withResolvers<string>();
  const onLog = (bytes: string) => {
    log += bytes;
    const [found] = GREETING.exec(log) ?? [];
    if (found !== undefined) address.resolve(found);
    if (!INSPECTOR_TALK.test(bytes)) process.stderr.write(bytes);
  };
  const readLiveBytes = async (): Promise<number> => {
    const socket = new WebSocket(await address.promise);
    const failed = once(socket, 'error').then(() => Promise.reject(new Error('the process is gone')));
    await Promise.race([once(socket, 'open'), failed]);
    const ask = async (id: number, method: string): Promise<unknown> => {
      socket.send(JSON.stringify({ id, method }));
      const [event] = await once(socket, 'message');
      return JSON.parse(event.data).result;
    };
    // The second collection takes what the finalizers of the first have let go.
    for (const id of [1, 2]) await ask(id, 'HeapProfiler.collectGarbage');
    const { usedSize } = (await ask(3, 'Runtime.getHeapUsage')) as { usedSize: number }; // the protocol's answer
    socket.close();
    return usedSize;
  };
  return { nodeArguments: ['--inspect=127.0.0.1:0'], onLog, readLiveBytes };
}
