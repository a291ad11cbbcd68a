/** Boxes that explain: errors with what helps, empty pages with what to do next. */
import type { ComponentChildren } from 'preact';
import { describeError } from '../describe-error.ts';
import { addressOf } from '../routes.ts';
import { signOut } from '../session.ts';
import { isPassing, useRecovery } from '../use-recovery.ts';
import { FailureIcon } from './icons.tsx';

/**
 * `doing`: what failed, as "The documents could not be listed." Nothing is shown without an error. Where it can be
 * tried again, it is so by itself too, until a service that restarts is back.
 */
export function ErrorNotice({
  doing,
  error,
  onRetry,
}: {
  doing: string;
  error: unknown;
  onRetry?: () => void;
}) {
  useRecovery(error, onRetry);
  if (error === undefined) return <div role="alert" />;
  const { message, remedy, requestId, isSignedOut } = describeError(error);
  return (
    <div role="alert" class="notice notice-bad">
      <FailureIcon />
      <div>
        <strong>{doing}</strong> <span dir="auto">{message}</span> {remedy}
        {onRetry && isPassing(error) && ' It is tried again by itself.'}
        {requestId && (
          <>
            {' '}
            It is logged as <code>{requestId}</code>.
          </>
        )}
      </div>
      {isSignedOut && (
        <button type="button" onClick={signOut}>
          Sign in again
        </button>
      )}
      {!isSignedOut && onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Why changes are disabled, for everybody: not all can read the titles of disabled buttons. */
export const Restriction = ({ obstacle }: { obstacle: string | undefined }) =>
  obstacle === undefined ? null : (
    <p class="notice">
      {obstacle} What it may not do is disabled. <a href={addressOf.usage}>About this key</a>
    </p>
  );

/** What a page says that has nothing to show. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Stands where something is being loaded. It appears late, so that fast answers do not flicker. */
export const Loading = ({ what }: { what: string }) => (
  <p class="loading" role="status">
    Loading {what} …
  </p>
);
