interface KeyActions {
  readonly enter: () => void;
  readonly quit: () => void;
  readonly interrupt: () => void;
}

/** Listens for single keys on a terminal; elsewhere it does nothing. Returns a function that ends it. */
export function listenForKeys(actions: KeyActions, input: NodeJS.ReadStream = process.stdin): () => void {
  if (!input.isTTY) return () => {};
  const act = (keys: Buffer) => {
    for (const key of keys.toString()) {
      if (key === "\r" || key === "\n") actions.enter();
      else if (key === "q" || key === "\u0004") actions.quit();
      // Ctrl-C is a key like any other while single keys are read.
      else if (key === "\u0003") actions.interrupt();
    }
  };
  input.setRawMode(true);
  input.on("data", act);
  return () => {
    input.off("data", act);
    input.setRawMode(false);
    input.pause();
  };
}
