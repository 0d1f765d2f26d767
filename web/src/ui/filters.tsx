import type { ComponentChildren } from "preact";
import type { DayRange } from "./dates.js";

/** The filters of a page, and a way to be rid of them all. */
export function FilterBar({ onClear, children }: { onClear: (() => void) | null; children: ComponentChildren }) {
  return (
    <search class="filters" aria-label="Filters">
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
  /** Empty is all. */
  value: string | undefined;
  choices: readonly (string | FilterChoice)[];
  /** What stands for no choice; nothing when one must be made. */
  all?: string | null;
  onChange: (value: string) => void;
}

/**
 * A drop-down. A value from the address that is no choice any more is shown, so that it can be seen and taken back.
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

/** A field to search by text. */
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

/** A first and a last day. */
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
