/** The script that completes the command line in fish, with descriptions. */
import { type CommandOption, flatten, type TreeNode, type Value } from './command-tree.ts';

/** Quotes a text for fish: only the quote and the backslash mean something in quotes. */
const quote = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;

/** `-x`: a value, and no file. `-r`: a value, which is a file. */
const describeValue = (value: Value): string => {
  if (value.kind === 'choices') return ` -x -a ${quote(value.choices.join(' '))}`;
  if (value.kind === 'file') return ' -r -F';
  return value.kind === 'text' ? ' -x' : '';
};

const describeOption = ({ names, description, value }: CommandOption): string => {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  return `${flags.join(' ')}${describeValue(value)} -d ${quote(description)}`;
};

function* describeNode({ path, options, argument, children }: TreeNode, name: string): Generator<string> {
  const at = `complete -c ${name} -n ${quote(`__knowledge_retrieval_at ${quote(path)}`)}`;
  for (const child of children) yield `${at} -a ${child.name} -d ${quote(child.description)}`;
  for (const option of options) yield `${at} ${describeOption(option)}`;
  if (argument.kind === 'file') yield `${at} -F`;
  if (argument.kind === 'choices') yield `${at} -a ${quote(argument.choices.join(' '))}`;
}

export function writeFish(program: TreeNode): string {
  const nodes = flatten(program);
  const paths = nodes.flatMap(({ path }) => (path === '' ? [] : [quote(path)])).join(' ');
  return `# Completes ${program.name} in fish.
function __knowledge_retrieval_at
  set -l command
  for word in (commandline -opc)[2..]
    switch "$command/$word"
      case ${paths}
        set command "$command/$word"
    end
  end
  test "$command" = "$argv[1]"
end
complete -c ${program.name} -f
${nodes.flatMap((node) => [...describeNode(node, program.name)]).join('\n')}
`;
}
