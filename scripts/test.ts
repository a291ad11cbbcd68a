/** `npm test`: what CI runs. */
import { testCommand } from './arguments.ts';
import { checkCode, runTests } from './tools.ts';

const command = testCommand('test').description('Compiles and lints all code, and runs the tests.').parse();
checkCode();
runTests(
  ['unit', 'real-store', 'contract', 'neighbours'],
  command.args,
  command.opts<{ only?: string }>().only,
);
