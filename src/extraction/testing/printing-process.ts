/** The extraction process with a library that writes to the console all the time. */
const { console: before } = globalThis;
setInterval(() => {
  // biome-ignore lint/suspicious/noConsole: what the test is about
  if (console !== before) console.log('A library found something odd.');
}, 1).unref();
await import('../sandbox/extraction-process.ts');
