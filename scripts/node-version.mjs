/** Whether this Node can run the project. Plain JavaScript: an old one reads it too. */

/** The version that package.json brings; `doctor` asks for the same. */
const LEAST_MAJOR = 24;

export const isNodeTooOld = Number(process.versions.node.split('.', 1)[0]) < LEAST_MAJOR;

/** For whoever started it on a Node that is too old: that happens only where the project's own was not installed. */
export const OLD_NODE =
  `This is Node ${process.versions.node}, and ${LEAST_MAJOR} or later is needed. The one that comes with the ` +
  'dependencies is missing: npm was told to run no install scripts. Let npm fetch it by\n' +
  '  npm rebuild node --ignore-scripts=false --foreground-scripts\n' +
  `or put a Node ${LEAST_MAJOR} first into PATH.\n`;
