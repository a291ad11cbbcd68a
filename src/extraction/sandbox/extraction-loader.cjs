/**
 * Runs before the program of the extraction process. Loads its modules as JavaScript from file descriptor 3,
 * where extraction-modules.ts has put them.
 * It is JavaScript itself, because stripping types takes as long as the rest of the start.
 * It is CommonJS, which reaches Node's own modules 12 ms sooner.
 */
const { fstatSync, readSync } = require('node:fs');
const { registerHooks, syncBuiltinESMExports } = require('node:module');
const os = require('node:os');

const file = Buffer.alloc(fstatSync(3).size);
// Reads from offset 0: the processes share the descriptor, and the previous one has moved its position.
readSync(3, file, 0, file.length, 0);
const sources = file.length === 0 ? {} : JSON.parse(file.toString());

// These functions reach other processes. Node's permission model restricts neither signals (one of them opens a
// debugger)
// nor priorities.
for (const name of ['kill', '_kill', '_debugProcess']) delete process[name];
delete os.setPriority;
syncBuiltinESMExports();

registerHooks({
  load(url, context, loadNext) {
    const source = sources[url];
    return source === undefined ? loadNext(url, context) : { format: 'module', source, shortCircuit: true };
  },
});
