/** Completion in bash, asked as bash asks: by the function that `complete` names, with its variables. */
import { execFileSync } from 'node:child_process';
import { Command, Option } from 'commander';
import { expect, test } from 'vitest';
import { writeBash } from './bash.ts';
import { readTree } from './command-tree.ts';
import { writeFish } from './fish.ts';
import { writePowerShell } from './powershell.ts';
import { writeZsh } from './zsh.ts';

const program = new Command('knowledge-retrieval').description("it's a test");
program.command('import').argument('<path...>').option('--kb <name>', "the user's").option('--dry-run');
const keys = program.command('keys').description('keys');
keys.command('create').addOption(new Option('--scope <scope>').choices(['search', 'write']));
keys.command('list');
keys.command('secret', { hidden: true });
const tree = readTree(program);

/** What bash offers after these words, the last of which is being typed; with `files`, whether it also offers files. */
function complete(...words: string[]) {
  const script = `${writeBash(tree)}
    compopt() { files=no; }
    files=yes; COMP_WORDS=(knowledge-retrieval "$@"); COMP_CWORD=$#
    $(complete -p knowledge-retrieval | sed 's/.*-F \\([^ ]*\\).*/\\1/')
    printf '%s\\n' "$files" "\${COMPREPLY[@]}"`;
  const output = execFileSync('bash', ['--norc', '-c', script, 'bash', ...words], { encoding: 'utf8' });
  const [files, ...offered] = output.trim().split('\n');
  return { offered: offered.toSorted(), files: files === 'yes' };
}

test.each([
  ['commands', [''], ['--help', '-h', 'help', 'import', 'keys'], false],
  ['the beginning of one', ['im'], ['import'], false],
  ['subcommands', ['keys', ''], ['--help', '-h', 'create', 'help', 'list'], false],
  ['options', ['keys', 'create', '--s'], ['--scope'], false],
  ['the choices of an option', ['keys', 'create', '--scope', ''], ['search', 'write'], false],
  ['nothing for a name', ['import', '--kb', ''], [], false],
  ['files for a path', ['import', 'READ'], [], true],
  ['options beside files', ['import', 'a b.md', '--d'], ['--dry-run'], true],
])('bash offers %s', (_what, words, offered, files) => {
  expect(complete(...words)).toEqual({ offered, files });
});

test('zsh, fish and PowerShell get the same commands and options, with quoted descriptions', () => {
  for (const script of [writeZsh(tree), writeFish(tree), writePowerShell(tree)]) {
    for (const word of ['import', 'keys', 'create', 'list', 'dry-run', 'search'])
      expect(script).toContain(word);
    expect(script).not.toContain('secret');
  }
  expect(writeZsh(tree)).toContain(String.raw`'--kb:the user'\''s'`);
  expect(writeFish(tree)).toContain(String.raw`-l kb -x -d 'the user\'s'`);
  expect(writePowerShell(tree)).toContain("'--kb|the user''s'");
  expect(writePowerShell(tree)).toContain("'/keys/create --scope' = @('search|', 'write|')");
});
