import { memo } from "preact/compat";
import { useMemo, useState } from "preact/hooks";
import { formatCount } from "./index.js";
import { RevealedText } from "./revealed-text.js";
import { Scrollable } from "./scrollable.js";
import { useGrowingCount } from "./timing.js";

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

type CopyState = "ready" | "copied" | "failed";

const COPY_LABELS: Readonly<Record<CopyState, string>> = { ready: "Copy", copied: "Copied", failed: "Could not copy" };
const COPY_STATE_MS = 2000;

/** Puts a text on the clipboard as it is, marks and all. */
function CopyButton({ label, text }: { label: string; text: () => Promise<string> }) {
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

/** A browser lays out so many characters in a moment; blocks out of sight are not laid out at all. */
const BLOCK_LENGTH = 20_000;
const BLOCKS_PER_STEP = 5;

interface TextBlocksProps {
  label: string;
  text: string;
  isWrapped: boolean;
}

/** A text in blocks, which are drawn a few at a time. */
export function TextBlocks({ label, text, isWrapped }: TextBlocksProps) {
  const blocks = useMemo(() => splitIntoBlocks(text, BLOCK_LENGTH), [text]);
  const count = useGrowingCount(blocks.length, BLOCKS_PER_STEP, text);
  if (text === "") return <p class="quiet">(empty)</p>;
  return (
    <Scrollable class={`text-blocks${isWrapped ? " text-wrapped" : ""}`} label={label}>
      {blocks.slice(0, count).map((block, place) => (
        <TextBlock key={place} text={block} />
      ))}
    </Scrollable>
  );
}

const TextBlock = memo(function TextBlock({ text }: { text: string }) {
  // The end of the line is the end of the block.
  return (
    <pre class="text-block">
      <RevealedText text={text.endsWith("\n") ? text.slice(0, -1) : text} />
    </pre>
  );
});

/**
 * A text in pieces of at most `size` characters, which end at the end of a line where they can and never within a
 * character. Joined they are the text again.
 * @example
 * splitIntoBlocks("one\ntwo", 5); // ["one\n", "two"]
 */
export function splitIntoBlocks(text: string, size: number): string[] {
  const blocks: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = findBlockEnd(text, start, size);
    blocks.push(text.slice(start, end));
    start = end;
  }
  return blocks;
}

/** The beginning of a text, at most so many characters and lines of it. */
export function takeBeginning(text: string, { characters, lines }: { characters: number; lines: number }): string {
  const first = text.slice(0, findBlockEnd(text, 0, characters));
  let at = -1;
  for (let line = 0; line < lines; line++) {
    at = first.indexOf("\n", at + 1);
    if (at < 0) return first;
  }
  return first.slice(0, at);
}

function findBlockEnd(text: string, start: number, size: number): number {
  const furthest = start + size;
  if (furthest >= text.length) return text.length;
  // Within the piece alone: looking back from each piece of a text without lines would go to its beginning every time.
  const line = text.slice(start, furthest).lastIndexOf("\n");
  if (line >= 0) return start + line + 1;
  // The second half of a pair is no beginning.
  const isHalf =
    size > 1 && /[\udc00-\udfff]/.test(text[furthest] ?? "") && /[\ud800-\udbff]/.test(text[furthest - 1] ?? "");
  return isHalf ? furthest - 1 : furthest;
}

/** Longer texts are shown as they came: to put them in order would hold up the page. */
const MAX_FORMATTED_LENGTH = 500_000;

/**
 * JSON with a line for each entry; null when the text is no object or list. Only the space between is changed: numbers
 * keep all their digits, and strings their escapes.
 * @example
 * formatJson('{"a":[1,2.50]}'); // '{\n  "a": [\n    1,\n    2.50\n  ]\n}'
 */
export function formatJson(text: string): string | null {
  if (text.length > MAX_FORMATTED_LENGTH || !/^\s*[[{]/.test(text) || !isJson(text)) return null;
  let depth = 0;
  let pretty = "";
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[[\]{},:]|[^\s"[\]{},:]+/gs)) {
    if (token === "]" || token === "}") pretty += startLine(--depth) + token;
    else if (token === "[" || token === "{") pretty += token + startLine(++depth);
    else if (token === ",") pretty += `,${startLine(depth)}`;
    else if (token === ":") pretty += ": ";
    else pretty += /^[[{]/.test(token) ? token.replace(/\s/g, "") : token;
  }
  return pretty;
}

function startLine(depth: number): string {
  return `\n${"  ".repeat(depth)}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
