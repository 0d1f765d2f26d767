import { useState } from "preact/hooks";
import { formatCount } from "./format.js";
import { RevealedText } from "./revealed-text.js";
import { Scrollable } from "./scrollable.js";
import { useGrowingCount } from "./timing.js";

const DEFAULT_LINES_SHOWN = 60;
const LINES_PER_STEP = 500;

/** Lines with a leading `+`, `-` or space. The signs stay, because color alone must not carry information. */
export function DiffLines({ label, lines }: { label: string; lines: readonly string[] }) {
  const [isOpen, setOpen] = useState(false);
  const count = useGrowingCount(isOpen ? lines.length : DEFAULT_LINES_SHOWN, LINES_PER_STEP, lines);
  const shown = lines.slice(0, isOpen ? count : DEFAULT_LINES_SHOWN);
  return (
    <>
      <Scrollable class="diff" label={label}>
        {shown.map((line, place) => (
          <div key={place} class={getDiffLineClass(line)}>
            {line === "" ? " " : <RevealedText text={line} />}
          </div>
        ))}
      </Scrollable>
      {!isOpen && lines.length > DEFAULT_LINES_SHOWN && (
        <button type="button" class="text-more" onClick={() => setOpen(true)}>
          Show all {formatCount(lines.length)} lines
        </button>
      )}
    </>
  );
}

function getDiffLineClass(line: string): string {
  if (line.startsWith("@@")) return "diff-line diff-place";
  if (line.startsWith("+")) return "diff-line diff-added";
  return line.startsWith("-") ? "diff-line diff-removed" : "diff-line";
}
