/** What is written on a page besides its own text: the values of form fields, and notes. */
import type { PDFPageProxy } from 'pdfjs-dist';

/** A value with its box: [left, bottom, right, top]. */
export type FormValue = { text: string; box: readonly [number, number, number, number] };

/** Notes are shown when the reader opens them. */
export type Annotations = { values: FormValue[]; notes: string[] };

/** What counts here of an annotation (ISO 32000-2, 12.5 and 12.7). */
type Annotation = {
  subtype?: unknown;
  rect?: unknown;
  fieldType?: unknown;
  fieldValue?: unknown;
  password?: unknown;
  options?: unknown;
  checkBox?: unknown;
  exportValue?: unknown;
  radioButton?: unknown;
  buttonValue?: unknown;
  contentsObj?: { str?: unknown };
};

export async function annotationsOf(page: PDFPageProxy): Promise<Annotations> {
  const found: Annotations = { values: [], notes: [] };
  for (const annotation of (await page.getAnnotations()) as Annotation[]) {
    const value = shownValue(annotation);
    const box = boxOf(annotation.rect);
    const note = annotation.contentsObj?.str;
    if (value.trim() !== '') found.values.push({ text: value, box });
    else if (typeof note === 'string' && note.trim() !== '' && isShown(annotation)) found.notes.push(note);
  }
  return found;
}

/** The text of others describes them to those who cannot see them (ISO 32000-2, table 166). */
const isShown = ({ subtype, fieldType }: Annotation): boolean =>
  fieldType === undefined && !['Link', 'Screen', 'Movie', 'RichMedia', '3D'].includes(String(subtype));

function boxOf(rect: unknown): FormValue['box'] {
  const [left = 0, bottom = 0, right = 0, top = 0] = Array.isArray(rect) ? rect.map(Number) : [];
  return [left, bottom, right, top];
}

/** What the page shows of a field: text, the chosen entries, or a cross. */
function shownValue(annotation: Annotation): string {
  const { fieldType, fieldValue, password, checkBox, exportValue, radioButton, buttonValue } = annotation;
  if (fieldType === 'Tx') return typeof fieldValue === 'string' && password !== true ? fieldValue : '';
  if (fieldType === 'Ch')
    return [fieldValue]
      .flat()
      .map((value) => shownFor(annotation, value))
      .join(', ');
  if (fieldType !== 'Btn' || typeof fieldValue !== 'string' || fieldValue === 'Off') return '';
  const isOn =
    (checkBox === true && fieldValue === exportValue) || (radioButton === true && fieldValue === buttonValue);
  return isOn ? '☒' : '';
}

/** An entry of a list may be stored as another value than it shows. */
function shownFor({ options }: Annotation, value: unknown): string {
  const entries: { exportValue?: unknown; displayValue?: unknown }[] = Array.isArray(options) ? options : [];
  const { displayValue = value } = entries.find(({ exportValue }) => exportValue === value) ?? {};
  return typeof displayValue === 'string' ? displayValue : '';
}
