/** Every command shows an example, which it can read itself. */
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { EXAMPLES } from './examples.ts';
import { addOperatorCommands } from './operators/operator-commands.ts';
import { addPeopleCommands } from './people/people-commands.ts';

const program = new Command('knowledge-retrieval');
addPeopleCommands(program);
addOperatorCommands(program);

const leavesOf = (command: Command, path = ''): [path: string, command: Command][] =>
  command.commands.flatMap((child) => {
    const childPath = `${path} ${child.name()}`.trim();
    return child.commands.length > 0 ? leavesOf(child, childPath) : [[childPath, child]];
  });
const leaves = leavesOf(program);

test('each command has an example, and each example a command', () => {
  expect(Object.keys(EXAMPLES).toSorted()).toEqual(leaves.map(([path]) => path).toSorted());
});

test.each(leaves)('the options in the examples of `%s` exist', (path, command) => {
  const known = command.options.flatMap(({ short, long }) => [short, long]);
  const used = (EXAMPLES[path] ?? []).flatMap(
    ([line]) => line.replace(/[|<>].*/, '').match(/--[a-z-]+/g) ?? [],
  );
  expect(used.filter((option) => !known.includes(option))).toEqual([]);
  for (const [line] of EXAMPLES[path] ?? []) expect(line.startsWith(path)).toBe(true);
});
