/** `npm run test:slow`: the tests that take minutes, which CI runs after `npm test`. */
import { testCommand } from './arguments.ts';
import { runTests } from './tools.ts';

const command = testCommand('test:slow')
  .description('Runs the slow tests: clients, commands, seeded bugs, faults, clusters, load.')
  .parse();
runTests(['slow-unit', 'real-store', 'slow', 'alone'], command.args, command.opts<{ only?: string }>().only);
