/** Reads a Node process's heap size over its inspector, after a full garbage collection. */
import { once } from 'node:events';

/** The address that Node writes to standard error after a start with --inspect. */
const INSPECTOR_URL = /ws:\/\/\S+/;

/** Lines of the inspector, which are not passed on. */
const INSPECTOR_LINE = /^(Debugger |For help, see)/;

/**
 * The start options of a service whose heap can be measured, and a function that measures it: bytes after a collection.
 */
export function watchHeap() {
  let log = '';
  const address = Promise.withResolvers<string>();
  const onLog = (bytes: string) => {
    log += bytes;
    const [found] = INSPECTOR_URL.exec(log) ?? [];
    if (found !== undefined) address.resolve(found);
    if (!INSPECTOR_LINE.test(bytes)) process.stderr.write(bytes);
  };
  const readLiveBytes = async (): Promise<number> => {
    const socket = new WebSocket(await address.promise);
    const failed = once(socket, 'error').then(() => Promise.reject(new Error('the process is gone')));
    await Promise.race([once(socket, 'open'), failed]);
    const call = async (id: number, method: string): Promise<unknown> => {
      socket.send(JSON.stringify({ id, method }));
      const [event] = await once(socket, 'message');
      return JSON.parse(event.data).result;
    };
    // The second collection frees what the finalizers of the first have released.
    for (const id of [1, 2]) await call(id, 'HeapProfiler.collectGarbage');
    const { usedSize } = (await call(3, 'Runtime.getHeapUsage')) as { usedSize: number }; // the protocol's answer
    socket.close();
    return usedSize;
  };
  return { nodeArguments: ['--inspect=127.0.0.1:0'], onLog, readLiveBytes };
}
