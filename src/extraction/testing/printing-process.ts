/** The extraction process with a library that writes to the console as soon as the file has arrived. */
process.stdin.once('end', () => {
  // biome-ignore lint/suspicious/noConsole: what the test is about
  console.log('A library found something odd.');
});
await import('../sandbox/extraction-process.ts');
