/** Lets a model of the operator find passages too: it embeds the query, which the search then compares. */
import { isIdentifier } from './expansion/fuzzy-matches.ts';
import { quotedTexts } from './phrases/quoted-phrases.ts';
import type { EmbedQuery } from './query/query-meaning.ts';
import { meaningWarnings } from './query/query-warnings.ts';
import type { Search } from './search.ts';

/** A letter of a script that writes no spaces: beside it, digits and Latin letters make no identifier. */
const UNSPACED_LETTER =
  /\p{scx=Han}|\p{scx=Hiragana}|\p{scx=Katakana}|\p{scx=Thai}|\p{scx=Khmer}|\p{scx=Lao}/u;
const LETTER = /\p{L}/u;

/** What is in quotes is searched as it is written, and identifiers and numbers have no meaning. */
const hasMeaning = (query: string): boolean =>
  quotedTexts(query).length === 0 &&
  query
    .split(/\s+/u)
    .some((text) => LETTER.test(text) && (!isIdentifier(text) || UNSPACED_LETTER.test(text)));

/** The search, with a model where the query asks for meaning. The model is asked once, and not for a refused search. */
export const searchByModel =
  (search: Search, embedQuery: EmbedQuery): Search =>
  async (request) => {
    const { mode, query } = request;
    if (mode === 'words' || !hasMeaning(query)) return await search(request);
    const asking: ReturnType<EmbedQuery>[] = [];
    const embed = async () => {
      const [asked = embedQuery(request)] = asking;
      asking[0] = asked;
      const answer = await asked;
      return answer && 'embedding' in answer ? answer.embedding : undefined;
    };
    const found = await search({ ...request, embed });
    const answer = await asking[0];
    const told = answer && 'warning' in answer ? [answer.warning] : [];
    const areNone = asking.length > 0 && answer === undefined; // vectors of passages
    return { ...found, warnings: [...found.warnings, ...told, ...(areNone ? meaningWarnings(mode) : [])] };
  };
