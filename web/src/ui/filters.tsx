import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { DayRange } from "./format.js";
import { revealLine } from "./revealed-text.js";

/** On a small screen the filters are folded behind a button. */
export function FilterBar({ onClear, children }: { onClear: (() => void) | null; children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <search class={isOpen ? "filters is-open" : "filters"} aria-label="Filters">
      <button type="button" class="filters-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Filters{onClear !== null && " (on)"}
      </button>
      {children}
      {onClear !== null && (
        <button type="button" class="plain" onClick={onClear}>
          Clear filters
        </button>
      )}
    </search>
  );
}

interface FilterChoice {
  value: string;
  label: string;
}

interface SelectFilterProps {
  label: string;
  /** Empty selects all. */
  value: string | undefined;
  choices: readonly (string | FilterChoice)[];
  /** The option for all; null when a choice is required. */
  all?: string | null;
  onChange: (value: string) => void;
}

/**
 * A drop-down. A value of the address that is no longer a choice is listed too, so that it can be seen and changed.
 * @example
 * <SelectFilter label="Dataset" value={query.dataset} choices={names} onChange={(dataset) => updateQuery(route, { dataset })} />
 */
export function SelectFilter({ label, value = "", choices, all = "All", onChange }: SelectFilterProps) {
  const known = choices.map((choice) => (typeof choice === "string" ? { value: choice, label: choice } : choice));
  const isStray = value !== "" && !known.some((choice) => choice.value === value);
  return (
    <label class="filter">
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {all !== null && <option value="">{all}</option>}
        {isStray && <option value={value}>{value}</option>}
        {known.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    </label>
  );
}

interface TextFilterProps {
  label: string;
  value: string | undefined;
  placeholder?: string;
  onChange: (value: string) => void;
}

export function TextFilter({ label, value = "", placeholder, onChange }: TextFilterProps) {
  return (
    <label class="filter">
      <span>{label}</span>
      <input
        type="search"
        value={value}
        placeholder={placeholder}
        spellcheck={false}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </label>
  );
}

interface DateFilterProps extends DayRange {
  onChange: (change: DayRange) => void;
}

export function DateFilter({ from = "", to = "", onChange }: DateFilterProps) {
  return (
    <fieldset class="filter-pair">
      <legend class="unseen">Date</legend>
      <DayField label="From" value={from} max={to} onChange={(day) => onChange({ from: day })} />
      <DayField label="To" value={to} min={from} onChange={(day) => onChange({ to: day })} />
    </fieldset>
  );
}

interface DayFieldProps {
  label: string;
  value: string;
  min?: string;
  max?: string;
  onChange: (day: string) => void;
}

function DayField({ label, value, min, max, onChange }: DayFieldProps) {
  return (
    <label class="filter">
      <span>{label}</span>
      <input
        type="date"
        value={value}
        min={min || undefined}
        max={max || undefined}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </label>
  );
}

interface MultiSelectFilterProps {
  label: string;
  choices: readonly string[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}

/** With more choices, a search field filters them. */
const MIN_CHOICES_TO_NARROW = 12;
/** A longer list is searched, not read. */
const MAX_CHOICES_SHOWN = 200;

/**
 * A drop-down of check boxes. Chosen values that are no longer choices are listed too.
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

interface NumberFilterProps {
  label: string;
  value: number | null;
  onChange: (value: string) => void;
}

/** Takes effect when the input is finished: half a number is another number. */
export function NumberFilter({ label, value, onChange }: NumberFilterProps) {
  return (
    <label class="filter filter-number">
      <span>{label}</span>
      <input
        type="number"
        step="any"
        value={value ?? ""}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </label>
  );
}
