/** Copies a text, and says so. */
import { announce } from './announcements.tsx';
import { CopyIcon } from './icons.tsx';

/**
 * Browsers have a clipboard only in pages that came by https or from this machine. Elsewhere the text is selected in a
 * field, as a user would do it.
 */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return await navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}

/** `what`: "the id" makes the label "Copy the id". */
export function CopyButton({
  text,
  what,
  isQuiet = false,
}: {
  text: string;
  what: string;
  isQuiet?: boolean;
}) {
  const run = () =>
    copy(text).then(
      () => announce(`Copied ${what}.`),
      () => announce(`The browser did not let ${what} be copied: select and copy it by hand.`),
    );
  return isQuiet ? (
    <button
      type="button"
      class="quiet icon-only"
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
      onClick={run}
    >
      <CopyIcon />
    </button>
  ) : (
    <button type="button" onClick={run}>
      <CopyIcon /> Copy {what}
    </button>
  );
}
