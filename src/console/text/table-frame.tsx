/** A table within a text. */
import type { ComponentChildren } from 'preact';

/** A table that the keyboard can scroll where it is wider than the screen. */
export const TableFrame = ({ children }: { children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
  <div class="table-frame" tabIndex={0} role="group" aria-label="Table">
    <table>{children}</table>
  </div>
);
