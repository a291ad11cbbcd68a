/** The examples in the help of each command. */
import type { Command } from 'commander';

/** What follows the program's name, and what it does. */
type Example = [line: string, effect: string];

/** By the command's path. A command that has others below it shows the first example of each. */
export const EXAMPLES: Record<string, Example[]> = {
  import: [
    ['import docs --kb Handbook', 'a folder; again later, only what has changed'],
    ['import docs --kb Handbook --delete', 'also delete documents whose files are gone'],
    ["import docs --kb Handbook --exclude drafts/ --exclude '*.log'", 'without some'],
    ["import 'reports/**/*.pdf' --kb Reports --attributes '{\"year\":2026}'", 'all PDF files below a folder'],
    ['import - --name notes.md --kb Handbook < notes.md', 'standard input'],
  ],
  search: [
    ['search "when does the cafe open?"', 'the best five passages of all knowledge bases'],
    ['search parental leave --kb Handbook --context 1', 'with the passages around each'],
    [
      'search accommodation --explain',
      'with the parts of each score, and with WORD_VECTORS=on `accommodation ≈ hotel`',
    ],
    ['search accom --prefix --min-score 0.15', 'while a word is being typed; nothing that fits badly'],
    ['search invoice --json | jq -r .title', 'one line of JSON for each passage'],
  ],
  evaluate: [
    ['evaluate questions.csv --kb Handbook', 'which way finds the right documents'],
    ['evaluate questions.csv --each --svg comparison.svg', 'each question, and a picture'],
  ],
  'kb list': [['kb list', 'all knowledge bases']],
  'kb create': [['kb create Handbook --description "Rules for travel"', 'prints the id']],
  'kb attributes': [['kb attributes Handbook', 'what `--filter` can ask for']],
  'kb rename': [['kb rename Handbook "Handbook 2026"', 'the documents stay']],
  'kb delete': [['kb delete Handbook', 'asks before it deletes; in a script add --yes']],
  'docs list': [['docs list --kb Handbook --status failed', 'the files that could not be read']],
  'docs show': [['docs show manuals/pump.pdf --kb Handbook', 'a file by the path of its import']],
  'docs text': [['docs text manuals/pump.pdf --kb Handbook | less', 'the text that searches see']],
  'docs download': [['docs download manuals/pump.pdf --kb Handbook', 'writes pump.pdf']],
  'docs retry': [['docs retry manuals/pump.pdf --kb Handbook', 'reads it again']],
  'docs update': [
    ['docs update manuals/pump.pdf --kb Handbook --title "Pump X200"', 'searches find the new title'],
  ],
  'docs delete': [['docs delete manuals/pump.pdf --kb Handbook --yes', 'without a question']],
  'synonyms get': [
    ['synonyms get --kb Handbook > synonyms.txt', 'as lines; without --kb those of the account'],
  ],
  'synonyms set': [
    ['synonyms set synonyms.txt --kb Handbook', 'replaces all; they count from the next search on'],
  ],
  'queries list': [
    ['queries list --nothing', 'what people have looked for in vain'],
    ['queries list --slow 500', 'what took half a second or more'],
  ],
  'queries keep': [['queries keep', 'from now on']],
  'queries forget': [['queries forget --yes', 'without a question']],
  'webhooks create': [
    ['webhooks create https://hooks.example.com/knowledge --kb Handbook', 'prints the secret'],
  ],
  token: [[`token --filter 'team = "sales"' --expires-in 600`, 'for the page of one user']],
  'webhooks list': [['webhooks list', 'their state and last delivery']],
  'webhooks test': [['webhooks test 0199f3c1-5a6b-7c7d-8e8f-90a1b2c3d4e5', 'sends a test event']],
  'webhooks delete': [['webhooks delete 0199f3c1-5a6b-7c7d-8e8f-90a1b2c3d4e5', 'nothing is sent any more']],
  usage: [['usage --json | jq .balance', 'the credits that are left']],
  check: [
    ['check', 'the service of this directory'],
    ['check --url https://knowledge.example.com --junit contract.xml', 'in CI, with KNOWLEDGE_API_KEY'],
  ],
  mcp: [
    ['mcp --url https://knowledge.example.com', 'for the configuration of an agent, with KNOWLEDGE_API_KEY'],
  ],
  serve: [
    ['serve', 'the server of this directory'],
    ['serve --worker', 'only imports files, beside other servers of the database'],
  ],
  status: [
    ['status', 'what the server of this directory does now'],
    ['status --url http://10.0.0.1:8080 --url http://10.0.0.2:9100', 'a server and a worker, added up'],
    ['status --json | jq .now.requests.p95', 'the time within which 95 % of the answers come'],
  ],
  migrate: [['migrate', 'before new servers start']],
  doctor: [['doctor --json | jq -r .problems[]?.problem', 'the problems alone']],
  fsck: [['fsck --repair', 'corrects what it finds']],
  backup: [['backup /var/backups', 'a file with the time in its name; prints its path']],
  restore: [['restore /var/backups/knowledge.tar.zst', 'into an empty deployment']],
  'keys create': [
    ['keys create --name website --scope search --kb Handbook', 'only reads, in one knowledge base'],
    [`keys create --name sales-page --filter 'team = "sales"'`, 'only reads the documents of a team'],
  ],
  'keys list': [['keys list', 'with scopes and the days of their last use']],
  'keys revoke': [['keys revoke ID', 'the id that `keys list` shows']],
  'keys generate': [['keys generate', 'for BOOTSTRAP_API_KEY']],
  'accounts create': [
    ['accounts create sales --storage-limit-bytes 1073741824', 'with a gibibyte of storage'],
  ],
  'accounts set': [['accounts set sales --credits 1000', 'sets its balance']],
  'accounts list': [['accounts list', 'with what each has used']],
  completion: [
    [
      'completion bash > ~/.local/share/bash-completion/completions/knowledge-retrieval',
      'bash with its package bash-completion; otherwise append it to ~/.bashrc',
    ],
    ['completion zsh > "$fpath[1]/_knowledge-retrieval"', 'zsh'],
    ['completion fish > ~/.config/fish/completions/knowledge-retrieval.fish', 'fish'],
    ['completion powershell >> $PROFILE', 'PowerShell'],
  ],
};

const examplesOf = (path: string): Example[] =>
  EXAMPLES[path] ??
  Object.entries(EXAMPLES).flatMap(([below, examples]) =>
    below.startsWith(`${path} `) ? examples.slice(0, 1) : [],
  );

/**
 * Adds the examples to the help of all commands below this one, whose path is given. Wrong arguments lead to that help.
 */
export function addExamples(command: Command, path = ''): void {
  for (const child of command.commands) {
    const childPath = `${path} ${child.name()}`.trim();
    const lines = examplesOf(childPath).map(
      ([line, effect]) => `  # ${effect}\n  knowledge-retrieval ${line}\n`,
    );
    child.addHelpText('after', `\nExamples:\n${lines.join('')}`);
    child.showHelpAfterError(`Its help has examples: knowledge-retrieval ${childPath} --help`);
    addExamples(child, childPath);
  }
}
