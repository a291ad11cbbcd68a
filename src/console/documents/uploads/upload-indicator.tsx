/** Says on all pages that uploads go on, and warns before the tab is closed meanwhile. */
import { useEffect } from 'preact/hooks';
import { countOf } from '../../format.ts';
import { addressOf } from '../../routes.ts';
import { isUploading, running } from './uploads.ts';

/** While files are under way, the browser asks before it closes the tab. */
function useWarning(isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isNeeded]);
}

export function UploadIndicator() {
  const { count, knowledgeBaseId } = running.value;
  useWarning(isUploading.value);
  if (knowledgeBaseId === undefined) return null;
  return (
    <a class="tag" href={addressOf.documents(knowledgeBaseId)}>
      {countOf(count, 'upload')}
    </a>
  );
}
