import { useRef, useState } from "preact/hooks";
import { visibleLine } from "../../trial/text/visible-text.js";

interface ManyFilterProps {
  label: string;
  choices: readonly string[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}

/** From here on a field narrows the choices. */
const MANY = 12;
/** More cannot be looked through anyway. */
const SHOWN = 200;

/**
 * A drop-down of boxes, any number of which can be ticked. What is chosen and no choice any more is shown all the same.
 * @example
 * <ManyFilter label="System" choices={head.systems} chosen={filter.systems} onChange={setSystems} />
 */
export function ManyFilter({ label, choices, chosen, onChange }: ManyFilterProps) {
  const details = useRef<HTMLDetailsElement>(null);
  const [narrow, setNarrow] = useState("");
  const all = [...new Set([...choices, ...chosen])];
  const wanted = all.filter((choice) => choice.toLowerCase().includes(narrow.toLowerCase()));
  const toggle = (choice: string) =>
    onChange(chosen.includes(choice) ? chosen.filter((other) => other !== choice) : [...chosen, choice]);
  return (
    <details
      ref={details}
      class="filter many"
      onKeyDown={(event) => event.key === "Escape" && close(details.current)}
      onFocusOut={({ relatedTarget }) => isOutside(details.current, relatedTarget) && close(details.current, false)}
    >
      <summary>
        <span>{label}</span> <b>{summaryOf(chosen)}</b>
      </summary>
      <fieldset class="many-choices">
        <legend class="unseen">{label}</legend>
        {all.length > MANY && (
          <input
            type="search"
            aria-label={`Narrow the choices of ${label}`}
            placeholder="Narrow …"
            value={narrow}
            onInput={({ currentTarget }) => setNarrow(currentTarget.value)}
          />
        )}
        {wanted.slice(0, SHOWN).map((choice) => (
          <label key={choice}>
            <input type="checkbox" checked={chosen.includes(choice)} onChange={() => toggle(choice)} />
            <bdi>{visibleLine(choice)}</bdi>
          </label>
        ))}
        {wanted.length > SHOWN && <p class="quiet">and {wanted.length - SHOWN} more</p>}
      </fieldset>
    </details>
  );
}

function summaryOf(chosen: readonly string[]): string {
  if (chosen.length === 0) return "All";
  return chosen.length === 1 ? visibleLine(chosen[0] ?? "") : `${chosen.length} chosen`;
}

function isOutside(details: HTMLElement | null, target: EventTarget | null): boolean {
  return details !== null && target instanceof Node && !details.contains(target);
}

function close(details: HTMLDetailsElement | null, takesFocus = true): void {
  if (details === null) return;
  details.open = false;
  if (takesFocus) details.querySelector("summary")?.focus();
}
