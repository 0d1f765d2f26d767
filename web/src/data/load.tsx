import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { Skeleton } from "../ui/index.js";
import type { DataSource } from "./source.js";

const SourceContext = createContext<DataSource | null>(null);

/** Provides the data source to the pages below it. */
export const SourceProvider = SourceContext.Provider;

export function useSource(): DataSource {
  const source = useContext(SourceContext);
  if (source === null) throw new Error("There is no SourceProvider around this component.");
  return source;
}

/** A value that is being fetched. The previous value stays while it is fetched again. */
export type LoadState<T> =
  | { state: "loading"; value: T | null }
  | { state: "ready"; value: T }
  | { state: "failed"; value: T | null; problem: string };

/** Fetches a value whenever one of `inputs` changes, and again when it failed and the server is back. */
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

/** Shows the fetched value, that it is loading, or why it failed. */
export function LoadView<T>({ loaded, what, children }: LoadViewProps<T>) {
  return (
    <>
      {loaded.state === "failed" && (
        <p class="problem" role="alert">
          {loaded.problem}
        </p>
      )}
      {loaded.value === null ? loaded.state === "loading" && <Skeleton of={what} /> : children(loaded.value)}
    </>
  );
}

export function ServerNotice() {
  const source = useSource();
  const [isThere, setThere] = useState(true);
  useEffect(() => source.watchServer(setThere), [source]);
  return (
    <div role="status">
      {!isThere && (
        <p class="server-notice">
          The server does not answer, so this page may be out of date. Start <code>assay serve</code> again: the page
          reconnects by itself.
        </p>
      )}
    </div>
  );
}

/** Counts how often the server came back after a failure, so that the request can be repeated. */
export function useServerReturns(hasFailed: boolean): number {
  const source = useSource();
  const [returns, setReturns] = useState(0);
  useEffect(() => {
    if (!hasFailed) return;
    return source.watchServer((isThere) => isThere && setReturns((count) => count + 1));
  }, [source, hasFailed]);
  return returns;
}
