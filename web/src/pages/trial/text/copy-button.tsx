import { useState } from "preact/hooks";

type State = "ready" | "copied" | "failed";

const WORDS: Readonly<Record<State, string>> = { ready: "Copy", copied: "Copied", failed: "Could not copy" };
const SAY_MS = 2000;

/** Puts a text on the clipboard as it is, marks and all. */
export function CopyButton({ label, text }: { label: string; text: () => Promise<string> }) {
  const [state, setState] = useState<State>("ready");
  const say = (next: State) => {
    setState(next);
    setTimeout(() => setState("ready"), SAY_MS);
  };
  const copy = () => {
    const copied = text().then((whole) => navigator.clipboard.writeText(whole));
    copied.then(
      () => say("copied"),
      () => say("failed"),
    );
  };
  return (
    <button type="button" class="plain" onClick={copy}>
      <span aria-live="polite">{WORDS[state]}</span>
      <span class="unseen"> {label}</span>
    </button>
  );
}
