/** What TypeScript's own types lack. */

/** Style sheets, which the bundler collects into one file. */
declare module '*.css';

/**
 * Of fetch with a stream, which the client uses outside of browsers. Browsers have it; TypeScript's DOM types do not.
 */
interface RequestInit {
  duplex?: 'half';
}
