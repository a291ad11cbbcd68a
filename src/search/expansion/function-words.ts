/** Function words: those that say nothing by themselves, so that no misspelt word is taken for one. */
import { isCommonWord } from '../../analysis/common-words.ts';
import type { Queryable } from '../../database/connection/database.ts';
import { createStem, hasStopWords, type StemMemory } from '../../indexing/stems.ts';

/**
 * The function words of these languages among lexemes: their stop words, or where PostgreSQL knows none of a language,
 * its common words. The list of common words also has `system` and `world`, which a misspelt word may well stand for;
 * it only says for which lexemes a dictionary is asked, which `memory` then remembers. `simple` stands for many
 * languages: it counts where there is no other.
 */
export async function functionWordsAmong(
  lexemes: string[],
  languages: string[],
  { database, memory }: { database: Queryable; memory: StemMemory },
): Promise<ReadonlySet<string>> {
  const stem = createStem(database, memory);
  const found = new Set<string>();
  for (const language of languages.length > 1 ? languages.filter((each) => each !== 'simple') : languages) {
    const common = lexemes.filter((lexeme) => isCommonWord(lexeme, [language]));
    const stems = common.length > 0 && hasStopWords(language) ? await stem(language, common) : undefined;
    common.forEach((lexeme, i) => {
      if (stems === undefined || stems[i] === '') found.add(lexeme);
    });
  }
  return found;
}
