/** The script that completes the command line in PowerShell, from version 5.1 on, with descriptions. */
import { flatten, type TreeNode, type Value } from './command-tree.ts';

/** Quotes a text for PowerShell: `it's` → `'it''s'` */
const quote = (text: string): string => `'${text.replaceAll(/['‘’‚‛]/g, '$&$&')}'`;

/** A word with its description, as the script splits it. */
const describe = (word: string, description: string): string => quote(`${word}|${description}`);

const valuesOf = (value: Value): string =>
  `@(${value.kind === 'choices' ? value.choices.map((choice) => describe(choice, '')).join(', ') : ''})`;

/** The values of options, by the command and the option. Without any, PowerShell offers files. */
function* valueLines(nodes: TreeNode[]): Generator<string> {
  for (const { path, options } of nodes)
    for (const { names, value } of options)
      if (value.kind !== 'none')
        for (const name of names) yield `    ${quote(`${path} ${name}`)} = ${valuesOf(value)}`;
}

/** What may follow each command. */
function* wordLines(nodes: TreeNode[]): Generator<string> {
  for (const { path, options, argument, children } of nodes) {
    const choices = argument.kind === 'choices' ? argument.choices : [];
    const words = [
      ...children.map(({ name, description }) => describe(name, description)),
      ...choices.map((choice) => describe(choice, '')),
      ...options.flatMap(({ names, description }) => names.map((name) => describe(name, description))),
    ];
    yield `    ${quote(path)} = @(${words.join(', ')})`;
  }
}

export function writePowerShell(program: TreeNode): string {
  const nodes = flatten(program);
  return `# Completes ${program.name} in PowerShell.
Register-ArgumentCompleter -Native -CommandName ${quote(program.name)} -ScriptBlock {
  param($word, $ast, $cursor)
  $words = @{
${[...wordLines(nodes)].join('\n')}
  }
  $values = @{
${[...valueLines(nodes)].join('\n')}
  }
  $command = ''
  $before = ''
  foreach ($element in $ast.CommandElements | Select-Object -Skip 1) {
    if ($word -ne '' -and $element.Extent.EndOffset -ge $cursor) { break }
    $before = "$element"
    if ($words.ContainsKey("$command/$before")) { $command = "$command/$before" }
  }
  $offered = if ($values.ContainsKey("$command $before")) { $values["$command $before"] } else { $words[$command] }
  $offered | ForEach-Object {
    $name, $about = $_ -split '\\|', 2
    if ($name -like "$word*") {
      if ($about -eq '') { $about = $name }
      [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $about)
    }
  }
}
`;
}
