/** `npm run test:faults`: longer tests with kills, cut links, load and random requests. */
import { testCommand } from './arguments.ts';
import { runTests } from './tools.ts';

const command = testCommand('test:faults')
  .description('Runs the long tests: kills, cut links, load and random requests.')
  .parse();
runTests(['faults'], command.args, command.opts<{ only?: string }>().only);
