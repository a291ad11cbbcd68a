/** The headings of a passage, without those that its text shows itself. */

const plain = (line: string): string => line.replaceAll(/[#*_`]/g, '').trim();

/** ['Policy', 'Hotels'], '## Hotels\n\nA hotel …' → 'Policy' */
export function headingsAbove(headings: readonly string[], content: string): string {
  const [first = ''] = content.trimStart().split('\n', 1);
  const last = headings.at(-1);
  const isShown = last !== undefined && plain(last) === plain(first);
  return (isShown ? headings.slice(0, -1) : headings).join(' › ');
}
