/** Shows a search as code. */
import { useState } from 'preact/hooks';
import type { QueryRequest } from '../../client/index.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { serviceAddress } from '../session.ts';
import { codeOfSearch } from './request-code.ts';

export function CodeDialog({ request, onClose }: { request: QueryRequest; onClose(): void }) {
  const codes = codeOfSearch(serviceAddress, request);
  const [language, setLanguage] = useState('curl');
  const code = codes[language] ?? '';
  return (
    <Dialog title="This search as code" onClose={onClose} isWide>
      <div class="stack">
        <fieldset class="segments">
          <legend class="visually-hidden">Language</legend>
          {Object.keys(codes).map((name) => (
            <label key={name}>
              <input
                type="radio"
                name="language"
                checked={name === language}
                onChange={() => setLanguage(name)}
              />
              {name}
            </label>
          ))}
        </fieldset>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it */}
        <pre tabIndex={0} role="group" aria-label={`The search in ${language}`}>
          <code>{code}</code>
        </pre>
        <p class="hint">
          The key is not part of it: put it into the variable <code>KNOWLEDGE_API_KEY</code>.
        </p>
        <div class="row end">
          <CopyButton text={code} what="the code" />
        </div>
      </div>
    </Dialog>
  );
}
