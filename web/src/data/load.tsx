import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { DataSource } from "./source.js";

const SourceContext = createContext<DataSource | null>(null);

/** Gives all pages below it their data. */
export const SourceProvider = SourceContext.Provider;

/** What the page is drawn from. */
export function useSource(): DataSource {
  const source = useContext(SourceContext);
  if (source === null) throw new Error("There is no SourceProvider around this component.");
  return source;
}

/** Something that is fetched: on its way, there, or failed in words. What was there stays while it is fetched again. */
export type LoadState<T> =
  | { state: "loading"; value: T | null }
  | { state: "ready"; value: T }
  | { state: "failed"; value: T | null; problem: string };

/** Fetches something whenever one of `inputs` changes, and again when it failed and the server is back. */
export function useLoadState<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): LoadState<T> {
  const [loaded, setLoaded] = useState<LoadState<T>>({ state: "loading", value: null });
  const returns = useServerReturns(loaded.state === "failed");
  useEffect(() => {
    const gone = new AbortController();
    setLoaded(({ value }) => ({ state: "loading", value }));
    load(gone.signal).then(
      (value) => gone.signal.aborted || setLoaded({ state: "ready", value }),
      (error: unknown) =>
        gone.signal.aborted ||
        setLoaded(({ value }) => ({
          state: "failed",
          value,
          problem: error instanceof Error ? error.message : String(error),
        })),
    );
    return () => gone.abort();
  }, [...inputs, returns]);
  return loaded;
}

interface LoadViewProps<T> {
  loaded: LoadState<T>;
  what: string;
  children: (value: T) => ComponentChildren;
}

/** Shows what was fetched, or says that it is on its way or why it did not come. */
export function LoadView<T>({ loaded, what, children }: LoadViewProps<T>) {
  return (
    <>
      {loaded.state === "failed" && (
        <p class="problem" role="alert">
          {loaded.problem}
        </p>
      )}
      {loaded.value === null
        ? loaded.state === "loading" && (
            <p class="loading" role="status">
              Loading {what} …
            </p>
          )
        : children(loaded.value)}
    </>
  );
}

/** Says that the server is gone, for as long as it is. */
export function ServerNotice() {
  const source = useSource();
  const [isThere, setThere] = useState(true);
  useEffect(() => source.watchServer(setThere), [source]);
  return (
    <div role="status">
      {!isThere && (
        <p class="server-notice">
          The server does not answer, so that what you see may be old. Start <code>assay serve</code> again: the page
          goes on by itself.
        </p>
      )}
    </div>
  );
}

/** Counts how often the server came back while something had failed, so that it can be tried again. */
export function useServerReturns(hasFailed: boolean): number {
  const source = useSource();
  const [returns, setReturns] = useState(0);
  useEffect(() => {
    if (!hasFailed) return;
    return source.watchServer((isThere) => isThere && setReturns((count) => count + 1));
  }, [source, hasFailed]);
  return returns;
}
