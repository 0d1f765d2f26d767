import { useState } from "preact/hooks";

type CopyState = "ready" | "copied" | "failed";

const COPY_LABELS: Readonly<Record<CopyState, string>> = { ready: "Copy", copied: "Copied", failed: "Could not copy" };
const COPY_STATE_MS = 2000;

/** Puts a text on the clipboard as it is, marks and all. */
export function CopyButton({ label, text }: { label: string; text: () => Promise<string> }) {
  const [state, setState] = useState<CopyState>("ready");
  const say = (next: CopyState) => {
    setState(next);
    setTimeout(() => setState("ready"), COPY_STATE_MS);
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
      <span aria-live="polite">{COPY_LABELS[state]}</span>
      <span class="unseen"> {label}</span>
    </button>
  );
}
