/** Reads a Node process's heap size over its inspector, after a full garbage collection. */
import { once } from 'node:events';

/** Node's line on standard error after a start with --inspect. */
const GREETING = /ws:\/\/\S+/;

/** Other lines of the inspector. */
const INSPECTOR_TALK = /^(Debugger |For help, see)/;

/**
 * The start options of a service whose heap can be measured, and a function that measures it: bytes after a collection.
 */
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
    // The second collection frees what the finalizers of the first have released.
    for (const id of [1, 2]) await ask(id, 'HeapProfiler.collectGarbage');
    const { usedSize } = (await ask(3, 'Runtime.getHeapUsage')) as { usedSize: number }; // the protocol's answer
    socket.close();
    return usedSize;
  };
  return { nodeArguments: ['--inspect=127.0.0.1:0'], onLog, readLiveBytes };
}
