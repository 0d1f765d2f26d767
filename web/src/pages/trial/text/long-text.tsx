import { useMemo, useState } from "preact/hooks";
import { formatCount } from "../../../ui/index.js";
import { CopyButton } from "./copy-button.js";
import { formatJson } from "./pretty-json.js";
import { takeBeginning } from "./text-blocks.js";
import { TextBlocks } from "./text-view.js";

interface LongTextProps {
  /** What the text is, for those who hear of it only. */
  label: string;
  text: string;
  /** Of the whole text, of which `text` may be the beginning. */
  length: number;
  kind?: "text" | "json";
  /** Fetches the whole text; absent when there is no more than `text`. */
  load?: (() => Promise<string>) | undefined;
  /** How much is shown at first. */
  first?: { characters: number; lines: number };
}

const DEFAULT_EXCERPT = { characters: 4000, lines: 40 };

/** A text of any length and from anybody: its beginning, and the whole on demand, as text and nothing else. */
export function LongText({ label, text, length, kind = "text", load, first = DEFAULT_EXCERPT }: LongTextProps) {
  const [whole, setWhole] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [isWrapped, setWrapped] = useState(true);
  const known = whole ?? text;
  const pretty = useMemo(() => (known.length === length || whole !== null ? formatJson(known) : null), [known]);
  const [isFormatted, setFormatted] = useState(kind === "json");
  const shown = isFormatted && pretty !== null ? pretty : known;
  const beginning = useMemo(() => takeBeginning(shown, first), [shown]);
  const isCut = beginning.length < shown.length || known.length < length;
  const fetchWhole = async () => {
    if (known.length >= length || load === undefined) return known;
    const fetched = await load();
    setWhole(fetched);
    return fetched;
  };
  const open = () => {
    setProblem(null);
    // What there is of it is shown in any case.
    fetchWhole()
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
      .finally(() => setOpen(true));
  };
  const close = () => {
    setProblem(null);
    setOpen(false);
  };
  return (
    <div class="text">
      <div class="text-tools">
        <CopyButton label={label} text={fetchWhole} />
        <TextToggle isOn={isWrapped} onToggle={setWrapped} label={label}>
          Wrap lines
        </TextToggle>
        {pretty !== null && (
          <TextToggle isOn={isFormatted} onToggle={setFormatted} label={label}>
            Format JSON
          </TextToggle>
        )}
      </div>
      <TextBlocks label={label} text={isOpen ? shown : beginning} isWrapped={isWrapped} />
      {isCut && !isOpen && (
        <button type="button" class="text-more" onClick={open}>
          Show all {formatCount(length)} characters<span class="unseen"> of {label}</span>
        </button>
      )}
      {isOpen && known.length < length && problem === null && (
        <p class="quiet">
          No more than the first {formatCount(known.length)} of {formatCount(length)} characters are kept here.
        </p>
      )}
      {isOpen && isCut && (
        <button type="button" class="text-more" onClick={close}>
          Show the beginning alone
        </button>
      )}
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

interface TextToggleProps {
  isOn: boolean;
  onToggle: (isOn: boolean) => void;
  label: string;
  children: string;
}

function TextToggle({ isOn, onToggle, label, children }: TextToggleProps) {
  return (
    <button type="button" class="plain" aria-pressed={isOn} onClick={() => onToggle(!isOn)}>
      {children}
      <span class="unseen"> of {label}</span>
    </button>
  );
}
