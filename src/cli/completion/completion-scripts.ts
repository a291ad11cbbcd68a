/** The scripts for completion in all shells. They hold all commands and options, so that nothing runs at a key. */
import { writeBash } from './bash.ts';
import type { TreeNode } from './command-tree.ts';
import { writeFish } from './fish.ts';
import { writePowerShell } from './powershell.ts';
import { writeZsh } from './zsh.ts';

/** By the shell: what writes its script, and the file of that in the package, as the shell looks for it. */
export const COMPLETIONS = {
  bash: { write: writeBash, file: 'knowledge-retrieval.bash' },
  zsh: { write: writeZsh, file: '_knowledge-retrieval' },
  fish: { write: writeFish, file: 'knowledge-retrieval.fish' },
  powershell: { write: writePowerShell, file: 'knowledge-retrieval.ps1' },
} satisfies Record<string, { write(program: TreeNode): string; file: string }>;

export type Shell = keyof typeof COMPLETIONS;
