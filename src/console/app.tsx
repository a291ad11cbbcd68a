/** The frame around all pages: navigation, sign-in, and the page of the address. */
import { effect } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { ComparePage } from './compare/compare-page.tsx';
import { forgetComparison, openComparison } from './compare/comparison.ts';
import { DocumentPage } from './document/document-page.tsx';
import { DocumentsPage } from './documents/documents-page.tsx';
import { UploadIndicator } from './documents/uploads/upload-indicator.tsx';
import { forgetUploads } from './documents/uploads/uploads.ts';
import { KeysPage } from './keys/keys-page.tsx';
import { HomePage } from './knowledge-bases/home-page.tsx';
import { Announcements } from './parts/announcements.tsx';
import { MarkIcon } from './parts/icons.tsx';
import { ThemeChoice } from './parts/theme-choice.tsx';
import { QueriesPage } from './queries/queries-page.tsx';
import { addressOf, type PageName, route } from './routes.ts';
import { SearchPage } from './search/search-page.tsx';
import { type Session, session, signOut } from './session.ts';
import { SignInPage } from './sign-in/sign-in-page.tsx';
import { UsagePage } from './usage/usage-page.tsx';
import { WebhooksPage } from './webhooks/webhooks-page.tsx';

const UnknownPage = () => (
  <>
    <h1>There is no such page</h1>
    <p>
      The address may be mistyped. Begin with the <a href={addressOf.home}>knowledge bases</a>.
    </p>
  </>
);

const PAGES: Record<PageName, ComponentType> = {
  home: HomePage,
  documents: DocumentsPage,
  document: DocumentPage,
  search: SearchPage,
  compare: ComparePage,
  queries: QueriesPage,
  keys: KeysPage,
  webhooks: WebhooksPage,
  usage: UsagePage,
  unknown: UnknownPage,
};

/** `pages`: those on which the link is marked as the present place. */
const LINKS: { name: string; address: string; pages: PageName[] }[] = [
  { name: 'Knowledge bases', address: addressOf.home, pages: ['home', 'documents', 'document'] },
  { name: 'Search', address: addressOf.search(), pages: ['search'] },
  { name: 'Compare', address: addressOf.compare, pages: ['compare'] },
  { name: 'Queries', address: addressOf.queries, pages: ['queries'] },
  { name: 'Keys', address: addressOf.keys, pages: ['keys'] },
  { name: 'Webhooks', address: addressOf.webhooks, pages: ['webhooks'] },
  { name: 'Usage', address: addressOf.usage, pages: ['usage'] },
];

const SCOPE_NAMES: Record<Session['scope'], string | undefined> = {
  search: 'Key: search only',
  write: 'Key: some knowledge bases',
  account: undefined,
};

function Navigation({ scope }: { scope: Session['scope'] }) {
  const { page } = route.value;
  const name = SCOPE_NAMES[scope];
  return (
    <header class="frame">
      <a class="brand" href={addressOf.home}>
        <MarkIcon />
        <span>Knowledge retrieval</span>
      </a>
      <nav aria-label="Pages">
        {LINKS.map((link) => (
          <a
            key={link.name}
            href={link.address}
            {...(link.pages.includes(page) && { 'aria-current': 'page' as const })}
          >
            {link.name}
          </a>
        ))}
      </nav>
      <div class="frame-end">
        <UploadIndicator />
        {name && <span class="tag">{name}</span>}
        <a href="docs" target="_blank" rel="noreferrer" title="API reference">
          API<span class="long"> reference</span>
        </a>
        <ThemeChoice />
        <button type="button" class="quiet" onClick={signOut}>
          Sign out
        </button>
      </div>
    </header>
  );
}

/**
 * The page of the address. A new page begins at its top, and screen readers begin to read there, or in its first field
 * where that is what the page is for.
 */
function Page() {
  const { page, id } = route.value;
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  // Before the browser draws: later it would take the focus from what a person has chosen meanwhile.
  useLayoutEffect(() => {
    // The browser's own autofocus complains where another element has the focus.
    const field = main.current?.querySelector<HTMLElement>('[data-first-field]');
    if (!isFirst.current) scrollTo(0, 0);
    if (field) field.focus({ preventScroll: true });
    else if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [page, id]);
  const Shown = PAGES[page];
  return (
    <main ref={main} tabIndex={-1}>
      <Shown key={`${page} ${id}`} />
    </main>
  );
}

let wasSignedIn = false;
effect(() => {
  const { value } = session;
  if (value !== undefined) openComparison(value.keyId);
  else {
    forgetUploads();
    // A tab in which nobody has signed in yet is no reason: the comparison belongs to the browser.
    if (wasSignedIn) forgetComparison();
  }
  wasSignedIn = value !== undefined;
});

export function App() {
  const { value } = session;
  if (value === undefined) return <SignInPage />;
  const skip = () => document.querySelector('main')?.focus();
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        Skip to the content
      </button>
      <Navigation scope={value.scope} />
      <Page />
      <Announcements />
    </>
  );
}
