/** The script that completes the command line in bash, from version 3.2 on (macOS). */
import { flatten, quote, type TreeNode, type Value } from './command-tree.ts';

/** Lists, by the command and the option before the cursor, what may follow. */
function* valueCases(nodes: TreeNode[]): Generator<string> {
  const lines = (value: Value) => {
    if (value.kind === 'choices') return `choose ${quote(value.choices.join(' '))}; return`;
    return value.kind === 'file' ? 'return' : 'choose; return';
  };
  for (const { path, options } of nodes)
    for (const { names, value } of options)
      if (value.kind !== 'none')
        yield `    ${names.map((name) => quote(`${path} ${name}`)).join('|')}) ${lines(value)} ;;`;
}

/** Lists, by the command, its subcommands, options and arguments. Files come from bash itself where nothing matches. */
function* commandCases(nodes: TreeNode[]): Generator<string> {
  for (const { path, options, argument, children } of nodes) {
    const choices = argument.kind === 'choices' ? argument.choices : [];
    const words = [...children.map(({ name }) => name), ...choices, ...options.flatMap(({ names }) => names)];
    const offer = argument.kind === 'file' ? 'offer' : 'choose';
    yield `    ${quote(path)}) ${offer} ${quote(words.join(' '))} ;;`;
  }
}

export function writeBash(program: TreeNode): string {
  const nodes = flatten(program);
  const paths = nodes.flatMap(({ path }) => (path === '' ? [] : [quote(path)])).join('|');
  return `# Completes ${program.name} in bash.
_knowledge_retrieval() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command= index
  offer() { COMPREPLY=($(compgen -W "$1" -- "$word")); }
  choose() { offer "$1"; compopt +o default 2>/dev/null; }
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$command/\${COMP_WORDS[index]}" in
      ${paths}) command="$command/\${COMP_WORDS[index]}" ;;
    esac
  done
  case "$command $before" in
${[...valueCases(nodes)].join('\n')}
  esac
  case "$command" in
${[...commandCases(nodes)].join('\n')}
  esac
}
complete -o default -F _knowledge_retrieval ${program.name}
`;
}
