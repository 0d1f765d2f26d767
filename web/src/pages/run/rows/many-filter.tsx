import { useRef, useState } from "preact/hooks";
import { revealLine } from "../../trial/text/visible-text.js";

interface MultiSelectFilterProps {
  label: string;
  choices: readonly string[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}

/** From here on a field narrows the choices. */
const MIN_CHOICES_TO_NARROW = 12;
/** More cannot be looked through anyway. */
const MAX_CHOICES_SHOWN = 200;

/**
 * A drop-down of boxes, any number of which can be ticked. What is chosen and no choice any more is shown all the same.
 * @example
 * <MultiSelectFilter label="System" choices={head.systems} chosen={filter.systems} onChange={setSystems} />
 */
export function MultiSelectFilter({ label, choices, chosen, onChange }: MultiSelectFilterProps) {
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
      onKeyDown={(event) => event.key === "Escape" && closeDetails(details.current)}
      onFocusOut={({ relatedTarget }) =>
        isOutside(details.current, relatedTarget) && closeDetails(details.current, false)
      }
    >
      <summary>
        <span>{label}</span> <b>{summarizeChosen(chosen)}</b>
      </summary>
      <fieldset class="many-choices">
        <legend class="unseen">{label}</legend>
        {all.length > MIN_CHOICES_TO_NARROW && (
          <input
            type="search"
            aria-label={`Narrow the choices of ${label}`}
            placeholder="Narrow …"
            value={narrow}
            onInput={({ currentTarget }) => setNarrow(currentTarget.value)}
          />
        )}
        {wanted.slice(0, MAX_CHOICES_SHOWN).map((choice) => (
          <label key={choice}>
            <input type="checkbox" checked={chosen.includes(choice)} onChange={() => toggle(choice)} />
            <bdi>{revealLine(choice)}</bdi>
          </label>
        ))}
        {wanted.length > MAX_CHOICES_SHOWN && <p class="quiet">and {wanted.length - MAX_CHOICES_SHOWN} more</p>}
      </fieldset>
    </details>
  );
}

function summarizeChosen(chosen: readonly string[]): string {
  if (chosen.length === 0) return "All";
  return chosen.length === 1 ? revealLine(chosen[0] ?? "") : `${chosen.length} chosen`;
}

function isOutside(details: HTMLElement | null, target: EventTarget | null): boolean {
  return details !== null && target instanceof Node && !details.contains(target);
}

function closeDetails(details: HTMLDetailsElement | null, takesFocus = true): void {
  if (details === null) return;
  details.open = false;
  if (takesFocus) details.querySelector("summary")?.focus();
}
