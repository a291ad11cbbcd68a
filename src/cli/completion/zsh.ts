/** The script that completes the command line in zsh, with descriptions. */
import { flatten, quote, type TreeNode, type Value } from './command-tree.ts';

/** A word and its description, as _describe reads them. */
const describe = (word: string, description: string): string =>
  quote(`${word.replaceAll(':', String.raw`\:`)}:${description}`);

const complete = (value: Value): string => {
  if (value.kind === 'choices') return `compadd -- ${value.choices.map(quote).join(' ')}`;
  return value.kind === 'file' ? '_files' : 'true';
};

function* valueCases(nodes: TreeNode[]): Generator<string> {
  for (const { path, options } of nodes)
    for (const { names, value } of options)
      if (value.kind !== 'none')
        yield `    (${names.map((name) => quote(`${path} ${name}`)).join('|')}) ${complete(value)}; return ;;`;
}

function* commandCases(nodes: TreeNode[]): Generator<string> {
  for (const { path, options, argument, children } of nodes) {
    const flags = options.flatMap(({ names, description }) =>
      names.map((name) => describe(name, description)),
    );
    yield `    (${quote(path)})
      flags=(${flags.join(' ')})
      subcommands=(${children.map(({ name, description }) => describe(name, description)).join(' ')})
      (( \${#subcommands} )) && _describe -t commands command subcommands
      [[ $PREFIX == -* ]] || ${complete(argument)}
      _describe -o -t options option flags ;;`;
  }
}

export function writeZsh(program: TreeNode): string {
  const nodes = flatten(program);
  const paths = nodes.flatMap(({ path }) => (path === '' ? [] : [quote(path)])).join('|');
  return `#compdef ${program.name}
# Completes ${program.name} in zsh, from the file _${program.name} in a folder of $fpath.
_knowledge_retrieval() {
  local command= index
  local -a flags subcommands
  for ((index = 2; index < CURRENT; index++)); do
    case "$command/\${words[index]}" in
      (${paths}) command="$command/\${words[index]}" ;;
    esac
  done
  case "$command \${words[CURRENT-1]}" in
${[...valueCases(nodes)].join('\n')}
  esac
  case "$command" in
${[...commandCases(nodes)].join('\n')}
  esac
}
if [[ $funcstack[1] == _${program.name} ]]; then _knowledge_retrieval "$@"
else compdef _knowledge_retrieval ${program.name}; fi
`;
}
