/** Asks for an API key, and exchanges it for a cookie. The page does not keep it. */
import './sign-in.css';
import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Field } from '../parts/fields/field.tsx';
import { MarkIcon } from '../parts/icons.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { hasCode, isCodeRefused, isSignOutLost, serviceAddress, signIn, signOut } from '../session.ts';
import { useAction } from '../use-action.ts';
import { useTitle } from '../use-title.ts';

const CodeRefused = () => (
  <p class="notice" role="status">
    That address opens the console once, within five minutes of the start. Sign in with the API key, or start
    the service again.
  </p>
);

/** A shared computer must not look as if nobody were signed in. */
const SignOutLost = () => (
  <div class="notice notice-bad" role="alert">
    <span>The service did not answer: this browser is still signed in.</span>
    <button type="button" onClick={signOut}>
      Sign out again
    </button>
  </div>
);

/** Password managers store a name with each password. */
const HiddenName = () => (
  <input
    class="visually-hidden"
    type="text"
    autocomplete="username"
    value="api-key"
    readOnly
    tabIndex={-1}
    aria-hidden="true"
  />
);

const WRONG = 'This key is wrong, revoked or expired. Check that all of it was copied.';

type KeyFieldProps = {
  isWrong: boolean;
  input: RefObject<HTMLInputElement | null>;
  value: string;
  onChange(key: string): void;
};

const KeyField = ({ isWrong, input, value, onChange }: KeyFieldProps) => (
  <Field label="API key" error={isWrong ? WRONG : undefined}>
    {(attributes) => (
      <input
        {...attributes}
        ref={input}
        type="password"
        name="password"
        autocomplete="current-password"
        autocapitalize="off"
        spellcheck={false}
        required
        autofocus
        placeholder="kr_…"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
);

const WhereIsTheKey = () => (
  <div class="hint">
    <p>Where is the key?</p>
    <ul>
      <li>
        The first start of the service has written one to the file <code>.data/api-key</code>.
      </li>
      <li>
        On the server, <code>npx knowledge-retrieval keys create</code> makes another one.
      </li>
    </ul>
    <p>This browser stays signed in, in all tabs, until it is closed or you sign out; a week at most.</p>
  </div>
);

export function SignInPage() {
  useTitle('Sign in');
  const [key, setKey] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const action = useAction(async () => {
    try {
      await signIn(key);
    } catch (error) {
      input.current?.select();
      throw error;
    }
  });
  const isWrong = hasCode(action.error, 'UNAUTHORIZED') || hasCode(action.error, 'INVALID_ARGUMENT');
  return (
    <main class="sign-in">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void action.run();
        }}
      >
        <MarkIcon />
        <h1>Knowledge retrieval</h1>
        <p class="address">{serviceAddress}</p>
        {isCodeRefused.value && <CodeRefused />}
        {isSignOutLost.value && <SignOutLost />}
        <HiddenName />
        <KeyField isWrong={isWrong} input={input} value={key} onChange={setKey} />
        {!isWrong && <ErrorNotice doing="The sign-in failed." error={action.error} />}
        <button type="submit" class="primary" disabled={action.isRunning}>
          {action.isRunning ? 'Signing in …' : 'Sign in'}
        </button>
        <WhereIsTheKey />
      </form>
    </main>
  );
}
