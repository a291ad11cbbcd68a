/** Texts that describe pictures for people who cannot see them. */

/** What programs add to a description that they made up. */
const GENERATED =
  /\s*(?:description automatically generated(?: with \w+ confidence)?|ai-generated content may be incorrect\.?)\s*/gi;
/** A picture's file name or address, which programs put in place of a description. */
const FILE_NAME =
  /^[^\s/]*\.(?:png|jpe?g|jfif|gif|bmp|emf|wmf|tiff?|svg|webp|heic|ico)$|^[a-z]:\\|^\w+:\/\/\S*$/i;
const DESCRIPTION_MAX_LENGTH = 5_000;

/** The description of a picture as its author wrote it; empty where it has none. */
export function altText(written: string | undefined): string {
  const text = (written ?? '').slice(0, DESCRIPTION_MAX_LENGTH).replace(GENERATED, ' ').trim();
  return FILE_NAME.test(text) ? '' : text;
}
