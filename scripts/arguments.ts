/** The arguments of a script, with the answers that every script gives: `--help` prints its usage, nonsense a sentence. */
import { type ParseArgsConfig, parseArgs } from 'node:util';

const HELP = { help: { type: 'boolean', short: 'h' } } as const;

/** Ends the script with a sentence for whoever has typed its arguments, and its usage; exit code 1. */
export function refuseArguments(sentence: string, usage: string): never {
  process.stderr.write(`${sentence}\n\n${usage}`);
  process.exit(1);
}

/** `--port -1` as `--port=-1`: parseArgs asks what was meant where a value begins with `-`. No argument holds U+0000. */
const joinNegativeNumbers = (words: string[]): string[] =>
  words.length === 0
    ? []
    : words
        .join('\0')
        .replace(/(?<=^|\0)(--[\w-]+)\0(?=-\d)/g, '$1=')
        .split('\0');

/**
 * What `parseArgs` reads by `config`, which need not name `--help`. Ends the script where help is asked for (exit code 0)
 * or where the arguments are none of its own (1).
 */
export function readArguments<const Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    const args = joinNegativeNumbers(process.argv.slice(2));
    const parsed = parseArgs({ args, ...config, options: { ...config.options, ...HELP } });
    if ((parsed.values as { help?: boolean }).help) {
      // an option of HELP
      process.stdout.write(usage);
      process.exit(0);
    }
    return parsed as ReturnType<typeof parseArgs<Config>>; // of the same options, but for help
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // what parseArgs throws of arguments
    return refuseArguments(error.message, usage);
  }
}
