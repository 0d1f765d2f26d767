/** Whether the server is there. */
export interface Connection {
  /** Asks whether the server is still there, after something that only its absence explains. */
  check(): void;
  /** Tells when the server is gone and when it is back; the returned function ends that. */
  watch(listen: (isThere: boolean) => void): () => void;
}

/** How long after one question the next is asked while there is no answer. */
const DEFAULT_CHECK_INTERVAL_MS = 2000;

/**
 * Follows whether a server answers. One failed request is no proof: it is gone when `ask` fails too, and then `ask` is
 * called again and again until it does not.
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
