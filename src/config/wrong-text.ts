/**
 * Says what the text of a setting must be. The message follows its name, and never holds the text: it may be a secret.
 */
export class WrongText extends Error {}
