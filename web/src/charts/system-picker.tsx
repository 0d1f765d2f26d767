import { assignSystemLooks, buildShapePath } from "./looks.js";
import { formatName, shortenSystemNames } from "./names.js";

interface SystemPickerProps {
  /** Every system of the page. */
  systems: readonly string[];
  /** What looks are assigned to. */
  known: readonly string[];
  isSelected: (system: string) => boolean;
  onChange: (selected: readonly string[]) => void;
}

/**
 * Chooses the systems that all charts of a page show. It is their legend too: each system has its color.
 * @example
 * <SystemPicker {...selectSystems(route, systems)} />
 */
export function SystemPicker({ systems, known, isSelected, onChange }: SystemPickerProps) {
  if (systems.length < 2) return null;
  const getLook = assignSystemLooks(known, systems);
  const getLabel = shortenSystemNames(systems);
  const selected = systems.filter(isSelected);
  const toggle = (system: string) =>
    onChange(systems.filter((other) => (other === system ? !isSelected(other) : isSelected(other))));
  return (
    <fieldset class="system-picker">
      <legend>
        Systems in the charts ({selected.length} of {systems.length})
      </legend>
      <button type="button" disabled={selected.length === systems.length} onClick={() => onChange(systems)}>
        All
      </button>
      <button type="button" disabled={selected.length === 0} onClick={() => onChange([])}>
        None
      </button>
      <ul class="plain-list">
        {systems.map((system) => {
          const { color, shape } = getLook(system);
          return (
            <li key={system}>
              <label title={formatName(system)}>
                <input type="checkbox" checked={isSelected(system)} onChange={() => toggle(system)} />
                <svg width={14} height={14} viewBox="-7 -7 14 14" aria-hidden="true">
                  <path d={buildShapePath(shape, 60)} fill={color} />
                </svg>
                <span class="clip" dir="auto">
                  {getLabel(system)}
                </span>
              </label>
              <button
                type="button"
                class="plain"
                aria-label={`Only ${formatName(system)}`}
                disabled={selected.length === 1 && isSelected(system)}
                onClick={() => onChange([system])}
              >
                only
              </button>
            </li>
          );
        })}
      </ul>
      {selected.length === 0 && <p class="quiet">Select a system to see its charts.</p>}
    </fieldset>
  );
}
