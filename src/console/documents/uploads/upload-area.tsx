/** Takes files and folders, dropped anywhere on the page or chosen. */
import { useRef, useState } from 'preact/hooks';
import { AttributeFields } from '../../attributes/attribute-fields.tsx';
import { useAttributeRows } from '../../attributes/use-attribute-rows.ts';
import { countOf } from '../../format.ts';
import { announce } from '../../parts/announcements.tsx';
import { Choice } from '../../parts/fields/choice.tsx';
import { FolderIcon, LinkIcon, TextIcon, UploadIcon } from '../../parts/icons.tsx';
import { useSession, writeObstacle } from '../../session.ts';
import { readChosen } from './chosen-files.ts';
import { type ChosenFile, startUploads } from './uploads.ts';
import { useDrop } from './use-drop.ts';

const FORMATS =
  'PDF, Word, Excel, PowerPoint, OpenDocument, EPUB, HTML, mail, ZIP, subtitles, Markdown, CSV, JSON, ' +
  'XML, text, scans, pictures of text';

type Settings = { skipsUnchanged: boolean; replacesByPath: boolean };
/** Other ways to add documents, which have dialogs. */
type Open = (dialog: 'paste' | 'address') => void;
type Rows = ReturnType<typeof useAttributeRows>;

function Invitation({ isEmpty, isOver }: { isEmpty: boolean; isOver: boolean }) {
  return (
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
  );
}

type ButtonsProps = { isEmpty: boolean; onFiles(files: ChosenFile[]): void; onOpen: Open };

function Buttons({ isEmpty, onFiles, onOpen }: ButtonsProps) {
  const fileInput = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  const choose = (input: HTMLInputElement) => {
    onFiles(readChosen(input.files));
    // The same file may be chosen again.
    input.value = '';
  };
  const hidden = {
    type: 'file',
    hidden: true,
    onChange: (event: { currentTarget: HTMLInputElement }) => choose(event.currentTarget),
  } as const;
  return (
    <>
      <div class="row">
        <button type="button" class={isEmpty ? 'primary' : ''} onClick={() => fileInput.current?.click()}>
          <UploadIcon /> Choose files
        </button>
        <button type="button" onClick={() => folderInput.current?.click()}>
          <FolderIcon /> Choose a folder
        </button>
        <button type="button" onClick={() => onOpen('paste')}>
          <TextIcon /> Paste a text
        </button>
        <button type="button" onClick={() => onOpen('address')}>
          <LinkIcon /> From an address
        </button>
      </div>
      <input ref={fileInput} multiple aria-label="Files to upload" {...hidden} />
      <input ref={folderInput} aria-label="Folder to upload" {...{ webkitdirectory: true }} {...hidden} />
    </>
  );
}

type SettingsProps = { settings: Settings; rows: Rows; onChange(settings: Settings): void };

function UploadSettings({ settings, rows, onChange }: SettingsProps) {
  const count = rows.fields.rows.length;
  return (
    <details>
      <summary class="muted">
        Upload settings and attributes
        {count > 0 && <span class="tag">{countOf(count, 'attribute')}</span>}
      </summary>
      <Choice
        isChosen={settings.skipsUnchanged}
        onChange={(skipsUnchanged) => onChange({ ...settings, skipsUnchanged })}
      >
        Skip files whose content is stored already
      </Choice>
      <Choice
        isChosen={settings.replacesByPath}
        onChange={(replacesByPath) => onChange({ ...settings, replacesByPath })}
      >
        Replace the document of a file with the same path, as the command does
      </Choice>
      <AttributeFields hint="All files that are uploaded next get them." {...rows.fields} />
    </details>
  );
}

type UploadAreaProps = { knowledgeBaseId: string; isEmpty: boolean; onOpen: Open };

export function UploadArea({ knowledgeBaseId, isEmpty, onOpen }: UploadAreaProps) {
  const session = useSession();
  const [settings, setSettings] = useState({ skipsUnchanged: true, replacesByPath: true });
  const rows = useAttributeRows([knowledgeBaseId]);
  const obstacle = writeObstacle(session);
  const start = (files: ChosenFile[]) => {
    if (files.length === 0) return announce('There was no file in it.');
    if (rows.error !== undefined) return announce('The attributes in the upload settings are not complete.');
    const { attributes } = rows;
    void startUploads(session.patientService, files, { knowledgeBaseId, ...settings, attributes });
    announce(`${countOf(files.length, 'file')} will be uploaded.`);
  };
  const isOver = useDrop(start, obstacle === undefined);
  if (obstacle !== undefined) return isEmpty ? <p class="muted">It has no documents yet.</p> : null;
  return (
    <section
      class={`upload-area ${isEmpty ? 'large' : ''} ${isOver ? 'over' : ''}`}
      aria-label="Add documents"
    >
      <Invitation isEmpty={isEmpty} isOver={isOver} />
      <Buttons isEmpty={isEmpty} onFiles={start} onOpen={onOpen} />
      <UploadSettings settings={settings} rows={rows} onChange={setSettings} />
    </section>
  );
}
