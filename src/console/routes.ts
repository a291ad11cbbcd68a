/** The pages of the console. Their addresses are in the fragment, so that they shadow no path of the service. */
import { signal } from '@preact/signals';
import { restoreDocumentId } from '../formats/document-address.ts';

export type PageName =
  | 'home'
  | 'documents'
  | 'document'
  | 'search'
  | 'compare'
  | 'queries'
  | 'keys'
  | 'webhooks'
  | 'usage'
  | 'unknown';

/** `id`: of the knowledge base or document; empty on other pages. */
export type Route = { page: PageName; id: string; parameters: URLSearchParams };

const PAGES_WITH_ID: Record<string, PageName> = {
  'knowledge-bases': 'documents',
  documents: 'document',
  d: 'document', // by the short address of a citation
};
const PAGES: Record<string, PageName> = {
  '': 'home',
  search: 'search',
  compare: 'compare',
  queries: 'queries',
  keys: 'keys',
  webhooks: 'webhooks',
  usage: 'usage',
};

/** '#/documents/a?passage=2' → { page: 'document', id: 'a', parameters: passage=2 } */
function readRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const [first = '', id = ''] = path.split('/');
  const page = (id === '' ? PAGES[first] : PAGES_WITH_ID[first]) ?? 'unknown';
  const shortened = first === 'd' ? restoreDocumentId(id) : undefined;
  return { page, id: shortened ?? decode(id), parameters: new URLSearchParams(query) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a mistyped address: no such id exists
  }
}

/** The page that is shown. */
export const route = signal<Route>(readRoute(location.hash));
addEventListener('hashchange', () => {
  route.value = readRoute(location.hash);
});

const withParameters = (path: string, parameters: URLSearchParams): string =>
  parameters.size === 0 ? path : `${path}?${parameters}`;

/** The addresses of the pages, for links. */
export const addressOf = {
  home: '#/',
  usage: '#/usage',
  queries: '#/queries',
  keys: '#/keys',
  webhooks: '#/webhooks',
  compare: '#/compare',
  documents: (knowledgeBaseId: string, parameters = new URLSearchParams()) =>
    withParameters(`#/knowledge-bases/${encodeURIComponent(knowledgeBaseId)}`, parameters),
  /** `passage`: is shown first. `query`: its words are marked. */
  document: (
    documentId: string,
    { passage, query = '' }: { passage?: number | undefined; query?: string } = {},
  ) =>
    withParameters(
      `#/documents/${encodeURIComponent(documentId)}`,
      new URLSearchParams({
        ...(passage !== undefined && { passage: String(passage) }),
        ...(query !== '' && { q: query }),
      }),
    ),
  search: (parameters = new URLSearchParams()) => withParameters('#/search', parameters),
};

/** Shows another page. */
export function visit(address: string): void {
  location.hash = address;
}

/** Shows another page in place of the present one, which the history forgets. */
export function visitWithoutTrace(address: string): void {
  history.replaceState(null, '', address);
  route.value = readRoute(address);
}

/** Changes the parameters of the present page. `isStep`: the browser's Back button returns to the former ones. */
export function setParameters(parameters: URLSearchParams, isStep = false): void {
  const [path = ''] = location.hash.split('?');
  const address = withParameters(path || '#/', parameters);
  history[isStep ? 'pushState' : 'replaceState'](null, '', address);
  route.value = readRoute(address);
}
