export interface Connection {
  /** Checks whether the server still answers, after a failed request. */
  check(): void;
  /** Reports when the server is gone and when it is back, until the returned function is called. */
  watch(listen: (isThere: boolean) => void): () => void;
}

const DEFAULT_CHECK_INTERVAL_MS = 2000;

/**
 * Tracks whether a server answers. One failed request is not enough: the server is gone when `ask` fails too. Then
 * `ask` is
 * called repeatedly until it succeeds.
 * @example
 * const connection = createConnection(async () => void (await fetch(".", { method: "HEAD" })));
 * connection.watch((isThere) => console.log(isThere ? "back" : "gone"));
 */
export function createConnection(ask: () => Promise<void>, everyMs: number = DEFAULT_CHECK_INTERVAL_MS): Connection {
  const listeners = new Set<(isThere: boolean) => void>();
  let isThere = true;
  let isAsking = false;
  const setThere = (next: boolean) => {
    if (next === isThere) return;
    isThere = next;
    for (const listen of [...listeners]) listen(next);
  };
  const waitUntilThere = async () => {
    isAsking = true;
    while (!(await isAnswering(ask))) {
      setThere(false);
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
    isAsking = false;
    setThere(true);
  };
  return {
    check: () => {
      if (!isAsking) void waitUntilThere();
    },
    watch: (listen) => {
      listeners.add(listen);
      if (!isThere) listen(false);
      return () => listeners.delete(listen);
    },
  };
}

async function isAnswering(ask: () => Promise<void>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch {
    return false;
  }
}
