import { useState } from "preact/hooks";
import { formatCount } from "../../../ui/index.js";
import { Scrollable } from "../text/scrollable.js";
import { useGrowing } from "../text/use-growing.js";
import { Visible } from "../text/visible.js";

const LINES_AT_FIRST = 60;
const LINES_AT_ONCE = 500;

/** Lines with a leading `+`, `-` or space. The signs stay, so that colour tells nothing alone. */
export function DiffLines({ label, lines }: { label: string; lines: readonly string[] }) {
  const [isOpen, setOpen] = useState(false);
  const count = useGrowing(isOpen ? lines.length : LINES_AT_FIRST, LINES_AT_ONCE, lines);
  const shown = lines.slice(0, isOpen ? count : LINES_AT_FIRST);
  return (
    <>
      <Scrollable class="diff" label={label}>
        {shown.map((line, place) => (
          <div key={place} class={classOf(line)}>
            {line === "" ? " " : <Visible text={line} />}
          </div>
        ))}
      </Scrollable>
      {!isOpen && lines.length > LINES_AT_FIRST && (
        <button type="button" class="text-more" onClick={() => setOpen(true)}>
          Show all {formatCount(lines.length)} lines
        </button>
      )}
    </>
  );
}

function classOf(line: string): string {
  if (line.startsWith("@@")) return "diff-line diff-place";
  if (line.startsWith("+")) return "diff-line diff-added";
  return line.startsWith("-") ? "diff-line diff-removed" : "diff-line";
}
