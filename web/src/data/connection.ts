/** Whether the server is there. */
export interface Connection {
  /** Asks whether the server is still there, after something that only its absence explains. */
  check(): void;
  /** Tells when the server is gone and when it is back; the returned function ends that. */
  watch(listen: (isThere: boolean) => void): () => void;
}

/** How long after one question the next is asked while there is no answer. */
const ASK_EVERY_MS = 2000;

/**
 * Follows whether a server answers. One failed request is no proof: it is gone when `ask` fails too, and then `ask` is
 * called again and again until it does not.
 * @example
 * const connection = makeConnection(async () => void (await fetch(".", { method: "HEAD" })));
 * connection.watch((isThere) => console.log(isThere ? "back" : "gone"));
 */
export function makeConnection(ask: () => Promise<void>, everyMs: number = ASK_EVERY_MS): Connection {
  const listeners = new Set<(isThere: boolean) => void>();
  let isThere = true;
  let isAsking = false;
  const become = (next: boolean) => {
    if (next === isThere) return;
    isThere = next;
    for (const listen of [...listeners]) listen(next);
  };
  const untilThere = async () => {
    isAsking = true;
    while (!(await answers(ask))) {
      become(false);
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
    isAsking = false;
    become(true);
  };
  return {
    check: () => {
      if (!isAsking) void untilThere();
    },
    watch: (listen) => {
      listeners.add(listen);
      if (!isThere) listen(false);
      return () => listeners.delete(listen);
    },
  };
}

async function answers(ask: () => Promise<void>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch {
    return false;
  }
}
