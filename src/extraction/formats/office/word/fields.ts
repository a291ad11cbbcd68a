/** Follows the fields of a Word document (ECMA-376 part 1, 17.16), of which the reader sees the results. */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute } from '../../../markup/read-xml.ts';
import { symbolOf } from '../../../symbol-fonts.ts';
import { isOn } from '../on-off.ts';

/** A field's instruction precedes its result. `entries`: of a drop-down form field. */
type Field = {
  isInResult: boolean;
  hasResult: boolean;
  /** Its result differs on each page. */
  isPageNumber: boolean;
  instruction: string;
  form: FormField | undefined;
};
type FormField = { isCheckBox: boolean; isChecked: boolean; entries: string[]; entry: number };

/** Longer instructions contain texts; none of them is looked at. */
const INSTRUCTION_MAX_LENGTH = 500;

export type WordFields = {
  /** Takes a mark between the parts of a field. Returns the text that the field shows by itself. */
  mark(attributes: Attributes): string;
  instruction(text: string): void;
  /** Takes a property of a form field. */
  formProperty(name: string, attributes: Attributes): void;
  /** Whether text is part of an instruction, such as the result of a field inside it, or a number of repeated pages. */
  isHidden(): boolean;
  /** Ends the instructions that a paragraph leaves open: in a damaged file they would hide the rest of it. */
  endParagraph(): void;
};

/** The number of the page, and the number of pages of the section or the document. */
const PAGE_NUMBER = /^\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b/i;

/** Whether a simple field has this instruction. */
export const isPageNumber = (instruction: string | undefined): boolean => PAGE_NUMBER.test(instruction ?? '');

/** The open fields, and how many of them hide the text that they contain. */
function createOpenFields() {
  const open: Field[] = [];
  /** The number of open fields whose instruction has not ended. */
  let instructions = 0;
  let pageNumbers = 0;
  const endInstruction = (field: Field | undefined): void => {
    if (!field || field.isInResult) return;
    field.isInResult = true;
    instructions--;
  };
  return {
    last: () => open.at(-1),
    hidesText: () => instructions + pageNumbers > 0,
    begin() {
      open.push({ ...NEW_FIELD });
      instructions++;
    },
    beginResult(field: Field, isRepeated: boolean) {
      field.hasResult = true;
      endInstruction(field);
      field.isPageNumber ||= isRepeated && isPageNumber(field.instruction);
      if (field.isPageNumber) pageNumbers++;
    },
    end(field: Field) {
      open.pop();
      endInstruction(field);
      if (field.isPageNumber) pageNumbers--;
    },
    endParagraph() {
      for (let i = open.length - 1; i >= 0 && !open[i]?.isInResult; i--) endInstruction(open[i]);
      const field = open.at(-1);
      if (!field?.isPageNumber) return;
      field.isPageNumber = false;
      pageNumbers--;
    },
  };
}

/** `isRepeated`: the fields stand in a header or footer, which has no page of its own. */
export function wordFields({ isRepeated }: { isRepeated: boolean }): WordFields {
  const open = createOpenFields();
  return {
    mark(attributes) {
      const type = attribute(attributes, 'fldCharType');
      if (type === 'begin') open.begin();
      const field = open.last();
      if (type === 'separate' && field && !field.hasResult) open.beginResult(field, isRepeated);
      if (type !== 'end' || !field) return '';
      open.end(field);
      return shown(field);
    },
    instruction(text) {
      const field = open.last();
      if (field && field.instruction.length < INSTRUCTION_MAX_LENGTH) field.instruction += text;
    },
    formProperty(name, attributes) {
      const field = open.last();
      if (!field) return;
      field.form ??= { isCheckBox: false, isChecked: false, entries: [], entry: 0 };
      takeFormProperty(field.form, name, attribute(attributes, 'val'));
    },
    isHidden: open.hidesText,
    endParagraph: open.endParagraph,
  };
}

const NEW_FIELD: Readonly<Field> = {
  isInResult: false,
  hasResult: false,
  isPageNumber: false,
  instruction: '',
  form: undefined,
};

function takeFormProperty(form: FormField, name: string, value: string | undefined): void {
  if (name === 'checkBox') form.isCheckBox = true;
  if (name === 'default' || name === 'checked') form.isChecked = isOn(value);
  if (name === 'listEntry') form.entries.push(value ?? '');
  if (name === 'result') form.entry = Number(value ?? 0);
}

function shown({ hasResult, instruction, form }: Field): string {
  if (form?.isCheckBox) return form.isChecked ? '☒' : '☐';
  if (form && form.entries.length > 0) return form.entries[form.entry] ?? '';
  return hasResult ? '' : symbolIn(instruction);
}

/** `SYMBOL 176 \f Symbol` (17.16.5.63) → `°` */
function symbolIn(instruction: string): string {
  const code = /^\s*SYMBOL\s+"?(0x[\da-f]{1,6}|\d{1,7})/i.exec(instruction)?.[1];
  const font = /\\f\s+"?([^"\\]{1,60})/i.exec(instruction)?.[1] ?? '';
  return code === undefined ? '' : symbolOf(font.trim(), Number(code));
}
