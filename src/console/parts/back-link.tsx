/** The way up, above the title of a page. */
import type { ComponentChildren } from 'preact';
import { BackIcon } from './icons.tsx';

export const BackLink = ({ to, children }: { to: string; children: ComponentChildren }) => (
  <a class="back" href={to}>
    <BackIcon /> {children}
  </a>
);
