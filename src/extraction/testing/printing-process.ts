/** The program that reads a file, together with a library that writes to the console once the file is there. */
process.stdin.once('end', () => {
  // biome-ignore lint/suspicious/noConsole: what the test is about
  console.log('A library found something odd.');
});
await import('../sandbox/extraction-process.ts');
