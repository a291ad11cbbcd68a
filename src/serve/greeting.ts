/** The greeting that a start prints: the address, where the key is, and a request to paste. */
import type { Config } from '../config/config.ts';
import type { Database } from '../database/connection/database.ts';
import { type Problem, shellWord } from '../terms/problem.ts';
import { examineBootstrapKey, examineStoredKey } from './secrets/installation-key.ts';
import { apiKeyFile } from './secrets/secret-files.ts';

/** `key`: a shell expression for the key. `sentence`: where the key is. */
type KeyHint = { key: string; sentence: string };

/** The shell expression for a key that only its owner knows. */
const KEY_PLACEHOLDER = '$API_KEY';

const refused = ({ problem, remedy }: Problem): KeyHint => ({
  key: KEY_PLACEHOLDER,
  sentence: `${problem} ${remedy}`,
});

/** Finds the key for the greeting. A restored installation has no key file: only the owner knows the key. */
async function findKey(database: Database, config: Config): Promise<KeyHint> {
  const { bootstrapApiKey } = config;
  if (bootstrapApiKey !== undefined) {
    const problem = await examineBootstrapKey(database, bootstrapApiKey);
    if (problem) return refused(problem);
    return { key: '$BOOTSTRAP_API_KEY', sentence: 'The API key is BOOTSTRAP_API_KEY' };
  }
  const stored = await examineStoredKey(database, config);
  if (stored === undefined)
    return {
      key: KEY_PLACEHOLDER,
      sentence:
        'The API key is not stored here: use one that you have, or make one by `npx knowledge-retrieval keys create`',
    };
  if (stored.problem) return refused(stored.problem);
  const file = apiKeyFile(config);
  return { key: `$(cat ${shellWord(file)})`, sentence: `The API key is in ${file}` };
}

/** Where the console is. The code stands in the fragment, which browsers send to no server. */
const consoleSentence = (address: string, code: string | undefined): string =>
  code === undefined
    ? `The console is at ${address}/`
    : `Open the console, signed in (once, within five minutes): ${address}/#code=${code}`;

/** The greeting of a server at `address`. `signInCode` opens the console without the key. */
export async function greet(
  address: string,
  database: Database,
  { config, signInCode }: { config: Config; signInCode?: string | undefined },
): Promise<string> {
  const { key, sentence } = await findKey(database, config);
  return [
    `The knowledge retrieval service answers at ${address}`,
    sentence,
    consoleSentence(address, signInCode),
    `The reference is at ${address}/docs`,
    'A first request:',
    `  curl -s ${address}/v1/createKnowledgeBase -H "x-api-key: ${key}" ` +
      `-H 'content-type: application/json' -d '{"name":"First"}'`,
    '',
  ].join('\n');
}
