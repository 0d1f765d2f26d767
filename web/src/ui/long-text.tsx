import { memo } from "preact/compat";
import { useMemo, useState } from "preact/hooks";
import { formatCount } from "./format.js";
import { RevealedText } from "./revealed-text.js";
import { type RichContent, RichText, readRichContent, useRawTexts } from "./rich-text.js";
import { Scrollable } from "./scrollable.js";
import { useGrowingCount } from "./timing.js";

interface LongTextProps {
  /** For screen readers. */
  label: string;
  text: string;
  /** The length of the full text, of which `text` may be the beginning. */
  length: number;
  kind?: "text" | "json";
  /** Fetches the full text; absent when `text` is all there is. */
  load?: (() => Promise<string>) | undefined;
  first?: { characters: number; lines: number };
}

const DEFAULT_EXCERPT = { characters: 4000, lines: 40 };

/** A text of any length from any source: its beginning, and all of it on demand. Never interpreted as HTML. */
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
  const visible = isOpen ? shown : beginning;
  const [isRaw, setRaw] = useRawTexts();
  const rich = useMemo(() => readVisibleContent(known, visible), [known, visible]);
  const isPlain = isRaw || rich === null;
  const isCut = beginning.length < shown.length || known.length < length;
  const fetchWhole = async () => {
    if (known.length >= length || load === undefined) return known;
    const fetched = await load();
    setWhole(fetched);
    return fetched;
  };
  const open = () => {
    setProblem(null);
    // The beginning is shown even if this fails.
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
        {rich !== null && (
          <TextToggle isOn={isRaw} onToggle={setRaw} label={label}>
            Raw
          </TextToggle>
        )}
        {isPlain && (
          <TextToggle isOn={isWrapped} onToggle={setWrapped} label={label}>
            Wrap lines
          </TextToggle>
        )}
        {isPlain && pretty !== null && (
          <TextToggle isOn={isFormatted} onToggle={setFormatted} label={label}>
            Format JSON
          </TextToggle>
        )}
      </div>
      {isPlain ? <TextBlocks label={label} text={visible} isWrapped={isWrapped} /> : <RichText content={rich} />}
      {isCut && !isOpen && (isPlain || rich.kind === "markdown") && (
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
          Show less
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

/** A chat is drawn as a whole, since its messages are read from all of its JSON; other text as far as it is shown. */
function readVisibleContent(known: string, visible: string): RichContent | null {
  const whole = readRichContent(known);
  return whole?.kind === "chat" ? whole : readRichContent(visible);
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

/** Copies the original text, without visible marks for hidden characters. */
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

/** A browser lays out this many characters quickly; blocks out of view are not laid out at all. */
const BLOCK_LENGTH = 20_000;
const BLOCKS_PER_STEP = 5;

interface TextBlocksProps {
  label: string;
  text: string;
  isWrapped: boolean;
}

/** Draws a few blocks at a time. */
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
  // The end of the block ends the line.
  return (
    <pre class="text-block">
      <RevealedText text={text.endsWith("\n") ? text.slice(0, -1) : text} />
    </pre>
  );
});

/**
 * Splits a text into blocks of at most `size` characters, at the end of a line where possible and never inside a
 * character.
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

/** A text is not cut for the sake of a few more lines or characters. */
const EXCERPT_TOLERANCE = 1.5;

/** At most about so many characters and lines. */
export function takeBeginning(text: string, { characters, lines }: { characters: number; lines: number }): string {
  const isNearlyWhole =
    text.length <= characters * EXCERPT_TOLERANCE && text.split("\n").length <= lines * EXCERPT_TOLERANCE;
  if (isNearlyWhole) return text;
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
  // Only within the block: searching back in a text without lines would scan all of it every time.
  const line = text.slice(start, furthest).lastIndexOf("\n");
  if (line >= 0) return start + line + 1;
  // Do not split a surrogate pair.
  const isHalf =
    size > 1 && /[\udc00-\udfff]/.test(text[furthest] ?? "") && /[\ud800-\udbff]/.test(text[furthest - 1] ?? "");
  return isHalf ? furthest - 1 : furthest;
}

/** Formatting longer texts would block the page. */
const MAX_FORMATTED_LENGTH = 500_000;

/**
 * Formats a JSON object or list with a line for each entry; null for other text. Only whitespace changes: numbers keep
 * all digits, and strings their escapes.
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
