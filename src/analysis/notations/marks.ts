/**
 * Marked tokens: further tokens of a text for what it says in one of several notations. Only marked tokens begin with
 * a mark, since no word of a text does.
 */

/** A date, identifier or number: `=2024-03-05` for `5.3.2024`, `=9783161484100` for an ISBN, `=1 800`. */
export const COMMON_FORM = '=';

/** What a text says beside its words: `^IT` for a word in capitals, `^03-05` for a day of any year. */
export const HINT = '^';

export const isMarked = (token: string): boolean => token.startsWith(COMMON_FORM) || token.startsWith(HINT);

export const isHint = (token: string): boolean => token.startsWith(HINT);

/** A token as people read it: `=2024-03-05` → `2024-03-05`. */
export const readableToken = (token: string): string => (isMarked(token) ? token.slice(1) : token);
