/** Says on all pages that uploads go on, and warns before the tab is closed meanwhile. */
import { useEffect } from 'preact/hooks';
import { countOf } from '../format.ts';
import { addressOf } from '../routes.ts';
import { runningCount, uploads } from './uploads.ts';

export function UploadIndicator() {
  const running = runningCount.value;
  useEffect(() => {
    if (running === 0) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [running > 0]);
  const last = uploads.value.at(-1);
  if (running === 0 || last === undefined) return null;
  return (
    <a class="tag" href={addressOf.documents(last.knowledgeBaseId)}>
      {countOf(running, 'upload')}
    </a>
  );
}
