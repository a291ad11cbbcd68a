/** The console: the page at the address of the service. Runs in the browser. */
// Before all pages, so that their own style sheets win.
import './styles/base.css';
import './styles/controls.css';
import './styles/components.css';
import './styles/frame.css';
import './theme.ts';
import { render } from 'preact';
import { App } from './app.tsx';
import { focusSearchOnSlash } from './parts/slash-key.ts';
import { isCodeRefused, redeemCode, resumeSession, session } from './session.ts';

// Without this, a file that is dropped where nothing takes it replaces the page. Pages that take files come later.
addEventListener('dragover', (event) => {
  if (!event.dataTransfer?.types.includes('Files')) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = 'none';
});

// A code that cannot be exchanged leaves the sign-in, which says so.
const redeem = async () =>
  await redeemCode().catch(() => {
    isCodeRefused.value = true;
  });
// The address that a start prints may be opened in a tab that shows the sign-in already: then only its fragment
// changes.
addEventListener('hashchange', redeem);
// Without an answer, nobody is signed in; the sign-in says what is wrong.
await resumeSession().catch(() => {});
await redeem();
addEventListener('keydown', (event) => {
  if (session.peek() !== undefined) focusSearchOnSlash(event);
});
const root = document.getElementById('console');
if (root !== null) render(<App />, root);
