/** Loads what a page shows, and again on demand. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** `value`: the last one that was loaded, also while the next is under way. `error`: of the last attempt. */
export type Loaded<Value> = {
  value: Value | undefined;
  error: unknown;
  isLoading: boolean;
  reload(): void;
  /** Shows a value that the page knows without a request. */
  replace(value: Value): void;
};

/**
 * Calls `load` now, when `dependencies` change, and at each `reload`. The answer of an outdated call is dropped. The
 * former value stays until the next one is there, so that pages do not flicker.
 */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  dependencies: readonly unknown[],
): Loaded<Value> {
  const [state, setState] = useState<Pick<Loaded<Value>, 'value' | 'error' | 'isLoading'>>({
    value: undefined,
    error: undefined,
    isLoading: true,
  });
  const running = useRef<AbortController>(undefined);
  const latest = useRef(load);
  latest.current = load;
  const reload = useCallback(() => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    // The error stays until the outcome: a service that is unreachable is asked again and again.
    setState(({ value, error }) => ({ value, error, isLoading: true }));
    latest.current(controller.signal).then(
      (value) => controller.signal.aborted || setState({ value, error: undefined, isLoading: false }),
      (error) => controller.signal.aborted || setState(({ value }) => ({ value, error, isLoading: false })),
    );
  }, []);
  const replace = useCallback((value: Value) => setState({ value, error: undefined, isLoading: false }), []);
  useEffect(() => {
    setState(({ value }) => ({ value, error: undefined, isLoading: true }));
    reload();
    return () => running.current?.abort();
  }, dependencies);
  return { ...state, reload, replace };
}
