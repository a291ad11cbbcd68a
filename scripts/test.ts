/** `npm test`: what a developer runs after each change. */
import { testCommand } from './arguments.ts';
import { checkCode, runTests } from './tools.ts';

const command = testCommand('test')
  .description('Compiles and lints all code, and runs the fast tests.')
  .parse();
await checkCode();
runTests(['unit', 'contract'], command.args, command.opts<{ only?: string }>().only);
