/** Downloads the file of a document. */
import type { DocumentDetails } from '../../client/index.ts';
import { DownloadIcon } from '../parts/icons.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { useSession } from '../session.ts';
import { useAction } from '../use-action.ts';

/** Nothing is shown for imported text, which has no file. */
export function DownloadButton({ of: { id, file } }: { of: DocumentDetails }) {
  const { service } = useSession();
  const download = useAction(async () => {
    const { downloadUrl, fileName } = await service.presignDownloadUrl(id);
    // The browser itself downloads it, so that the file is never in the memory of the page.
    const link = Object.assign(document.createElement('a'), { href: downloadUrl, download: fileName });
    link.click();
  });
  if (file === undefined) return null;
  return (
    <>
      <button type="button" disabled={download.isRunning} onClick={download.run}>
        <DownloadIcon /> Download
      </button>
      <ErrorNotice doing="The file cannot be downloaded." error={download.error} />
    </>
  );
}
