/** English and German for OCR, in the order in which a service has them; undefined where German is not installed. */
import { installedLanguages } from '../ocr-languages.ts';

const languages = installedLanguages(process.env.OCR_LANGUAGES).filter(({ code }) =>
  /^(?:eng|deu)$/.test(code),
);

export const withGerman = languages.length === 2 ? languages : undefined;
