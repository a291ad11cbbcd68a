/** The console: the page at the address of the service. Runs in the browser. */
import './base.css';
import { render } from 'preact';
import { App } from './app.tsx';

const root = document.getElementById('console');
if (root !== null) render(<App />, root);
