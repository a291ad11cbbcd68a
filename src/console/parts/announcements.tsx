/** Short reports of what has happened, such as "Saved". They are shown for a while, and read out. */
import { signal } from '@preact/signals';

/** Long enough to read a sentence. */
const SHOWN_MS = 6_000;

const announced = signal('');
let timer: ReturnType<typeof setTimeout> | undefined;

export function announce(text: string): void {
  announced.value = text;
  clearTimeout(timer);
  timer = setTimeout(() => {
    announced.value = '';
  }, SHOWN_MS);
}

export function Announcements() {
  const text = announced.value;
  return (
    <div class="announcements" role="status" aria-live="polite">
      {text && (
        <p>
          <bdi>{text}</bdi>
        </p>
      )}
    </div>
  );
}
