/** Takes files and folders that are dropped anywhere on the page. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { announce } from '../../parts/announcements.tsx';
import { readDropped } from './chosen-files.ts';
import type { ChosenFile } from './uploads.ts';

/** A drag with files, which the browser would open when they are dropped; undefined: a drag of something else. */
const filesOf = ({ dataTransfer }: DragEvent): DataTransfer | undefined =>
  dataTransfer?.types.includes('Files') ? dataTransfer : undefined;

type Listeners = { onOver(isOver: boolean): void; onDrop(files: ChosenFile[]): void };

/** Listens until the returned function is called. */
function listen({ onOver, onDrop }: Listeners): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const over = (event: DragEvent) => {
    const files = filesOf(event);
    if (files === undefined) return;
    event.preventDefault();
    files.dropEffect = 'copy';
    onOver(true);
  };
  const leave = (event: DragEvent) => {
    if (event.relatedTarget === null) onOver(false);
  };
  const drop = (event: DragEvent) => {
    const files = filesOf(event);
    if (files === undefined) return;
    event.preventDefault();
    onOver(false);
    readDropped(files).then(onDrop, () => announce('The browser could not read what was dropped.'));
  };
  addEventListener('dragover', over, { signal });
  addEventListener('dragleave', leave, { signal });
  addEventListener('drop', drop, { signal });
  return () => ending.abort();
}

/** Calls `onFiles` for everything that is dropped on the page. @returns whether files are over the page */
export function useDrop(onFiles: (files: ChosenFile[]) => void, isOpen: boolean): boolean {
  const [isOver, setIsOver] = useState(false);
  const latest = useRef(onFiles);
  latest.current = onFiles;
  useEffect(
    () => (isOpen ? listen({ onOver: setIsOver, onDrop: (files) => latest.current(files) }) : undefined),
    [isOpen],
  );
  return isOver;
}
