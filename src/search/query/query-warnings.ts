/** Why a search by words found nothing, or answered without the meaning that it was asked for. */
import type { QueryWarning, SearchMode } from '../../../generated/types.gen.ts';
import { foreignLanguage } from '../../analysis/foreign-language.ts';
import { detectLanguage, LANGUAGES, type Language } from '../../analysis/language.ts';

/** Scripts whose languages have no stemmer, in the order in which they show a language. */
const SCRIPTS: [string, RegExp][] = [
  ['Japanese', /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ['Korean', /\p{Script=Hangul}/u],
  ['Chinese', /\p{Script=Han}/u],
  ['Thai', /\p{Script=Thai}/u],
  ['Hebrew', /\p{Script=Hebrew}/u],
];

const toName = (language: string): string => language.charAt(0).toUpperCase() + language.slice(1);

/** The name of the language of a query, where it is clearly none of `searched`. */
function foreignName(
  { query, tokens }: { query: string; tokens: string[] },
  searched: Language[],
): string | undefined {
  const inScript = SCRIPTS.find(([, script]) => script.test(query));
  if (inScript !== undefined) return inScript[0];
  const found =
    foreignLanguage([...new Set(tokens)], detectLanguage(query), searched) ?? detectLanguage(query, searched);
  return found === 'simple' || searched.includes(found) ? undefined : toName(found);
}

/** Languages that a sentence names. */
const NAMED_MAX = 4;

function listed(names: string[]): string {
  const shown = names.length > NAMED_MAX ? [...names.slice(0, NAMED_MAX - 1), 'others'] : names;
  return new Intl.ListFormat('en').format(shown);
}

/** A query that has found nothing in passages of these languages; `simple` stands for any that has no stemmer. */
type FoundNothing = { query: string; tokens: string[]; searched: readonly string[] };

/** The warning that a query is in another language than all passages; undefined where that is not clear. */
export function languageWarning({ searched, ...asked }: FoundNothing): QueryWarning | undefined {
  const known = LANGUAGES.filter((language) => language !== 'simple' && searched.includes(language));
  const own = known.length === 0 ? undefined : foreignName(asked, known);
  if (own === undefined) return undefined;
  const message =
    `No passage has a word of the query, which is in ${own}; the passages are in ${listed(known.map(toName))}. ` +
    'Only a search by meaning finds texts in other languages, and this one is by words.';
  return { code: 'LANGUAGE_DIFFERS', message };
}

/** The warnings of a query that asks for its meaning alone, and was answered by its words. */
export const meaningWarnings = (asked: SearchMode | undefined): QueryWarning[] =>
  asked === 'meaning'
    ? [
        {
          code: 'MEANING_OFF',
          message:
            'The words of the query answered alone. There is no meaning to compare: the service has no vectors of ' +
            'the passages, or the query is in quotes or an identifier.',
        },
      ]
    : [];
