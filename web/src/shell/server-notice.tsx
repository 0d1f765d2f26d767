import { useEffect, useState } from "preact/hooks";
import { useSource } from "./context.js";

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
