/**
 * Runs before the program of the extraction process. Removes the functions that reach other processes: Node's
 * permission model restricts neither signals (one of them opens a debugger) nor priorities.
 * It also keeps libraries from a fault of Node 24, and from what they would load in vain: see below.
 * It is CommonJS, which reaches Node's own modules 12 ms sooner.
 */
const { syncBuiltinESMExports } = require('node:module');
const os = require('node:os');

for (const name of ['kill', '_kill', '_debugProcess']) delete process[name];
delete os.setPriority;
syncBuiltinESMExports();

/**
 * For an odd number of bytes at an odd address Node 24.21 writes one byte beyond its memory when it decodes UTF-16, and
 * the process ends with "double free or corruption". SheetJS decodes so, at lengths that the file names.
 */
const { toString } = Buffer.prototype;
const isWide = (encoding) => /^(?:ucs-?2|utf-?16le)$/i.test(encoding);
Buffer.prototype.toString = function (encoding, start = 0, end = this.length) {
  if (typeof encoding !== 'string' || !isWide(encoding)) return toString.call(this, encoding, start, end);
  const [first, last] = [Math.max(0, start), Math.min(end, this.length)];
  return toString.call(this, encoding, first, last - ((last - first) & 1));
};

/** pdf.js looks whether this has a method, and uses it nowhere. Node's own one loads its whole client for HTTP. */
globalThis.Response = class {
  bytes() {}
};
