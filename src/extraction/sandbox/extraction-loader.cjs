/**
 * Comes before the reading process's program and loads its modules from file descriptor 3, where
 * extraction-modules.ts has put them as JavaScript. Itself JavaScript: whatever needs its types stripped
 * takes as long to start as all else; and CommonJS, which gets at Node's own modules 12 ms sooner.
 */
const { fstatSync, readSync } = require('node:fs');
const { registerHooks, syncBuiltinESMExports } = require('node:module');
const os = require('node:os');

const file = Buffer.alloc(fstatSync(3).size);
// From its start, and not from where the process before has left the descriptor that they share.
readSync(3, file, 0, file.length, 0);
const sources = file.length === 0 ? {} : JSON.parse(file.toString());

// What reaches other processes: Node's permission model says nothing of signals, of which one opens a debugger, nor of
// priorities.
for (const name of ['kill', '_kill', '_debugProcess']) delete process[name];
delete os.setPriority;
syncBuiltinESMExports();

registerHooks({
  load(url, context, loadNext) {
    const source = sources[url];
    return source === undefined ? loadNext(url, context) : { format: 'module', source, shortCircuit: true };
  },
});
