/** The command that runs the server. */
import { type ServeOptions, serveCommand } from '../serve/serve-command.ts';

export const serve = serveCommand().action(async (options: ServeOptions) => {
  const { run } = await import('../serve/main.ts');
  await run(options);
});
