/** Patterns of files and folders that an import leaves out, as in .gitignore. */

const ESCAPED = /[.+^$()|\\[\]{}]/;

/** A pattern as a regular expression: `*` and `?` match within a name, `**` also across folders. */
function toRegExp(pattern: string): RegExp {
  let source = '';
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index] ?? '';
    if (pattern.startsWith('**/', index)) {
      source += '(?:[^/]*/)*';
      index += 2;
    } else if (pattern.startsWith('**', index)) {
      source += '.*';
      index += 1;
    } else if (character === '*') source += '[^/]*';
    else if (character === '?') source += '[^/]';
    else source += ESCAPED.test(character) ? `\\${character}` : character;
  }
  return new RegExp(`^${source}$`, 'su');
}

/**
 * Makes the function that says whether a file or folder is left out. Without a slash a pattern matches a name at any
 * depth, otherwise a path from the folder that is imported. What is below a folder that is left out goes with it.
 * `*.log`, `drafts/`, `reports/**\/old`
 */
export function createExclusion(patterns: readonly string[]): (path: string) => boolean {
  const all = patterns.map((given) => {
    const pattern = given.replace(/\/+$/, '');
    const isName = !pattern.includes('/');
    return { isName, expression: toRegExp(pattern.replace(/^\.?\//, '')) };
  });
  return (path) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    return all.some(({ isName, expression }) => expression.test(isName ? name : path));
  };
}
