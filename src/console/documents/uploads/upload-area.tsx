/** Takes files and folders, dropped anywhere on the page or chosen. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { AttributeFields } from '../../attributes/attribute-fields.tsx';
import { type AttributeRow, findRowsError, toAttributes } from '../../attributes/attribute-rows.ts';
import { useKnownAttributes } from '../../attributes/known-attributes.ts';
import { countOf } from '../../format.ts';
import { announce } from '../../parts/announcements.tsx';
import { FolderIcon, LinkIcon, TextIcon, UploadIcon } from '../../parts/icons.tsx';
import { type Session, useSession, writeObstacle } from '../../session.ts';
import { readChosen, readDropped } from './chosen-files.ts';
import { type ChosenFile, startUploads } from './uploads.ts';

const FORMATS =
  'PDF, Word, Excel, PowerPoint, OpenDocument, EPUB, HTML, mail, ZIP, subtitles, Markdown, CSV, JSON, XML, text, scans, pictures of text';

/** Calls `onFiles` for everything that is dropped on the page. @returns whether files are over the page */
function useDrop(onFiles: (files: ChosenFile[]) => void, isOpen: boolean): boolean {
  const [isOver, setIsOver] = useState(false);
  const latest = useRef(onFiles);
  latest.current = onFiles;
  useEffect(() => {
    if (!isOpen) return;
    const isFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const over = (event: DragEvent) => {
      if (!isFiles(event) || event.dataTransfer === null) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
      setIsOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setIsOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!isFiles(event) || event.dataTransfer === null) return;
      event.preventDefault();
      setIsOver(false);
      readDropped(event.dataTransfer).then(
        (files) => latest.current(files),
        () => announce('The browser could not read what was dropped.'),
      );
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, [isOpen]);
  return isOver;
}

type UploadAreaProps = { knowledgeBaseId: string; isEmpty: boolean; onPaste(): void; onAddress(): void };

export function UploadArea({ knowledgeBaseId, isEmpty, onPaste, onAddress }: UploadAreaProps) {
  const session: Session = useSession();
  const [skipsUnchanged, setSkipsUnchanged] = useState(true);
  const [replacesByPath, setReplacesByPath] = useState(true);
  const [rows, setRows] = useState<AttributeRow[]>([]);
  const known = useKnownAttributes([knowledgeBaseId]);
  const fileInput = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  const obstacle = writeObstacle(session);
  const start = (files: ChosenFile[]) => {
    if (files.length === 0) return announce('There was no file in it.');
    if (findRowsError(rows) !== undefined)
      return announce('The attributes in the upload settings are not complete.');
    const attributes = toAttributes(rows);
    void startUploads(session.patientService, files, {
      knowledgeBaseId,
      skipsUnchanged,
      replacesByPath,
      attributes,
    });
    announce(`${countOf(files.length, 'file')} will be uploaded.`);
  };
  const isOver = useDrop(start, obstacle === undefined);
  const choose = (input: HTMLInputElement) => {
    start(readChosen(input.files));
    // The same file may be chosen again.
    input.value = '';
  };
  if (obstacle !== undefined) return isEmpty ? <p class="muted">It has no documents yet.</p> : null;
  return (
    <section
      class={`upload-area ${isEmpty ? 'large' : ''} ${isOver ? 'over' : ''}`}
      aria-label="Add documents"
    >
      <div>
        {isEmpty ? (
          <>
            <UploadIcon />
            <h2>Drop files or folders here</h2>
          </>
        ) : (
          <p>{isOver ? 'Drop to upload' : 'Drop files or folders anywhere on this page'}</p>
        )}
        <p class="hint">{FORMATS}. Up to 50 MiB each.</p>
      </div>
      <div class="row">
        <button type="button" class={isEmpty ? 'primary' : ''} onClick={() => fileInput.current?.click()}>
          <UploadIcon /> Choose files
        </button>
        <button type="button" onClick={() => folderInput.current?.click()}>
          <FolderIcon /> Choose a folder
        </button>
        <button type="button" onClick={onPaste}>
          <TextIcon /> Paste a text
        </button>
        <button type="button" onClick={onAddress}>
          <LinkIcon /> From an address
        </button>
      </div>
      <input
        ref={fileInput}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={(event) => choose(event.currentTarget)}
      />
      <input
        ref={folderInput}
        type="file"
        hidden
        aria-label="Folder to upload"
        {...{ webkitdirectory: true }}
        onChange={(event) => choose(event.currentTarget)}
      />
      <details>
        <summary>
          Upload settings and attributes
          {rows.length > 0 && <span class="tag">{countOf(rows.length, 'attribute')}</span>}
        </summary>
        <label class="choice">
          <input
            type="checkbox"
            checked={skipsUnchanged}
            onChange={(event) => setSkipsUnchanged(event.currentTarget.checked)}
          />
          Skip files whose content is stored already
        </label>
        <label class="choice">
          <input
            type="checkbox"
            checked={replacesByPath}
            onChange={(event) => setReplacesByPath(event.currentTarget.checked)}
          />
          Replace the document of a file with the same path, as the command does
        </label>
        <AttributeFields
          hint="All files that are uploaded next get them."
          rows={rows}
          knownNames={known.names}
          onChange={setRows}
        />
      </details>
    </section>
  );
}
