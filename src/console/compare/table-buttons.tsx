/** Saves questions and marks as a file, and loads them again. */
import { useRef } from 'preact/hooks';
import { DownloadIcon, UploadIcon } from '../parts/icons.tsx';
import { comparison, countRight, loadTable, toTable } from './comparison.ts';

const FILE_NAME = 'questions.csv';

/** Spreadsheets take a file for UTF-8 by this mark alone. */
const MARK = '\ufeff';

function save(): void {
  const address = URL.createObjectURL(new Blob([MARK, toTable()], { type: 'text/csv' }));
  Object.assign(document.createElement('a'), { href: address, download: FILE_NAME }).click();
  URL.revokeObjectURL(address);
}

/** `onError`: what is wrong with the file; undefined: it was loaded. */
export function TableButtons({ onError }: { onError(error: Error | undefined): void }) {
  const input = useRef<HTMLInputElement>(null);
  const load = async (field: HTMLInputElement) => {
    const [file] = field.files ?? [];
    if (file === undefined) return;
    try {
      loadTable(await file.text());
      onError(undefined);
    } catch (error) {
      onError(error as Error); // of a table, or of the browser that reads the file
    }
    field.value = '';
  };
  const isMarked = comparison.value.questions.some((question) => countRight(question) > 0);
  return (
    <>
      <button type="button" onClick={() => input.current?.click()}>
        <UploadIcon /> Load a table (CSV)
      </button>
      <input
        ref={input}
        type="file"
        hidden
        accept=".csv,.tsv,.txt,text/csv"
        aria-label="Table of questions"
        onChange={(event) => load(event.currentTarget)}
      />
      <button type="button" disabled={!isMarked} onClick={save}>
        <DownloadIcon /> Save as a table
      </button>
    </>
  );
}
