/** The icons: drawn in a square of 16, in the colour of the text around them, and silent for screen readers. */
import type { ComponentChildren } from 'preact';

const icon = (drawing: ComponentChildren) => () => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    {drawing}
  </svg>
);

export const SearchIcon = icon(<path d="M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9Zm3.3 7.8 3.2 3.2" />);
export const PlusIcon = icon(<path d="M8 3v10M3 8h10" />);
export const TrashIcon = icon(<path d="M2.5 4.5h11M6 4.5v-2h4v2m-5.9 0 .6 9h6.6l.6-9M6.7 7v4m2.6-4v4" />);
export const EditIcon = icon(
  <path d="m3 13 .6-2.8 7-7a1.3 1.3 0 0 1 1.9 0l.3.3a1.3 1.3 0 0 1 0 1.9l-7 7L3 13Z" />,
);
export const UploadIcon = icon(<path d="M8 10.5v-7m-3 3 3-3 3 3M2.5 10.5v3h11v-3" />);
export const FolderIcon = icon(<path d="M2 12.5v-9h4.2l1.5 2H14v7z" />);
export const TextIcon = icon(<path d="M3 4h10M3 8h10M3 12h6" />);
export const DownloadIcon = icon(<path d="M8 3v7m-3-3 3 3 3-3M2.5 10.5v3h11v-3" />);
export const RetryIcon = icon(<path d="M13 8a5 5 0 1 1-1.6-3.7M13 2.5v2.8h-2.8" />);
export const CheckIcon = icon(<path d="m3 8.5 3.2 3.2L13 4.5" />);
export const WaitIcon = icon(<path d="M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11ZM8 5v3.2l2.2 1.5" />);
export const FailureIcon = icon(<path d="M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11ZM8 5v3.6m0 2.1v.1" />);
export const CloseIcon = icon(<path d="m4 4 8 8m0-8-8 8" />);
export const CopyIcon = icon(<path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />);
export const LinkIcon = icon(<path d="M6 3H3v10h10v-3M9 2.5h4.5V7m0-4.5L7.5 8.5" />);
export const CompareIcon = icon(<path d="M2.5 3h4.5v10H2.5zM9 3h4.5v10H9z" />);
export const TagIcon = icon(<path d="M2.5 2.5h5.2l5.8 5.8-5.2 5.2-5.8-5.8zM5.4 5.3v.1" />);
export const CodeIcon = icon(<path d="m5.5 4-4 4 4 4m5-8 4 4-4 4" />);
export const BackIcon = icon(<path d="M9.5 3.5 5 8l4.5 4.5" />);
export const ThemeIcon = icon(
  <>
    <path d="M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11Z" />
    <path d="M8 2.5a5.5 5.5 0 0 1 0 11z" fill="currentcolor" />
  </>,
);
export const MarkIcon = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="8" />
    <path d="M9 10h14M9 16h9M9 22h6" />
  </svg>
);
