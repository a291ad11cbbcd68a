/** Parses the arguments of a script. `--help` prints its usage, and invalid arguments print a sentence. */
import { type ParseArgsConfig, parseArgs } from 'node:util';

const HELP = { help: { type: 'boolean', short: 'h' } } as const;

/** Ends the script with a sentence for its user, and its usage; exit code 1. */
export function refuseArguments(sentence: string, usage: string): never {
  process.stderr.write(`${sentence}\n\n${usage}`);
  process.exit(1);
}

/**
 * `--port -1` → `--port=-1`: parseArgs rejects a separate value that begins with `-`. No argument can contain U+0000.
 */
const joinNegativeNumbers = (words: string[]): string[] =>
  words.length === 0
    ? []
    : words
        .join('\0')
        .replace(/(?<=^|\0)(--[\w-]+)\0(?=-\d)/g, '$1=')
        .split('\0');

/**
 * The result of `parseArgs` with `config`, which need not include `--help`.
 * Ends the script after a request for help (exit code 0), or for invalid arguments (1).
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
