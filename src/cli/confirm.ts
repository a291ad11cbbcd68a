/** Asks before something is lost. */
import { createInterface } from 'node:readline';
import { toVisibleLine } from '../terminal/terminal.ts';
import { CommandError } from './options.ts';

/** The next line of standard input; '' at its end. The terminal itself handles Ctrl-C, which ends the process. */
async function readLine(): Promise<string> {
  const lines = createInterface({ input: process.stdin, terminal: false });
  try {
    return await new Promise((resolve) => lines.once('line', resolve).once('close', () => resolve('')));
  } finally {
    lines.close();
    process.stdin.destroy(); // an open terminal keeps the process alive
  }
}

/**
 * Asks a question in a terminal, where only `y` and `yes` mean yes. `isConfirmed`: by an option, without a question.
 * @throws a sentence where the answer is no, or nobody can be asked
 */
export async function confirm(question: string, isConfirmed = false): Promise<void> {
  if (isConfirmed) return;
  if (!process.stdin.isTTY) throw new CommandError(`${question} Confirm it by --yes.`);
  process.stderr.write(`${toVisibleLine(question)} [y/N] `);
  if (!/^y(es)?$/i.test((await readLine()).trim())) throw new CommandError('Nothing was deleted.');
}
