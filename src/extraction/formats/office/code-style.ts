/** Tells by the name of a paragraph's style whether the paragraph is code, whose white space counts. */

/** The built-in names of Word, LibreOffice and pandoc, and what people call their own. */
const CODE =
  /^(?:HTML Preformatted|Preformatted Text|(?:source )?code(?: ?(?:block|listing))?|listing|quellcode)$/i;

export const isCodeStyle = (name: string): boolean => CODE.test(name);
