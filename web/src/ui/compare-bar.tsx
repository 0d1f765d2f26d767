import { buildCompareAddress, type ComparePick, isPicked, togglePick } from "./picks.js";

interface PickBoxProps {
  picks: readonly ComparePick[];
  pick: ComparePick;
  /** What is chosen by it, in words. */
  label: string;
  onPicks: (picks: readonly ComparePick[]) => void;
}

/** Chooses one of the two that are compared. */
export function PickBox({ picks, pick, label, onPicks }: PickBoxProps) {
  return (
    <input
      type="checkbox"
      class="pick"
      aria-label={`Compare ${label}`}
      title="Choose two to compare them"
      checked={isPicked(picks, pick)}
      onChange={() => onPicks(togglePick(picks, pick))}
    />
  );
}

interface CompareBarProps {
  picks: readonly ComparePick[];
  formatName: (pick: ComparePick) => string;
  onPicks: (picks: readonly ComparePick[]) => void;
}

/** What is chosen to be compared, and the way there. */
export function CompareBar({ picks, formatName, onPicks }: CompareBarProps) {
  const address = buildCompareAddress(picks);
  return (
    <div class={picks.length === 0 ? "compare-bar is-empty" : "compare-bar"} role="status">
      {picks.length > 0 && (
        <>
          <span class="compare-names">
            {picks.map((pick, place) => (
              <span key={`${pick.run} ${pick.system}`}>
                <b>{place === 0 ? "A" : "B"}</b> {formatName(pick)}
              </span>
            ))}
            {address === null && <span class="quiet">Choose one more to compare them.</span>}
          </span>
          {address !== null && (
            <a class="button" href={address}>
              Compare the two
            </a>
          )}
          <button type="button" class="plain" onClick={() => onPicks([])}>
            Clear
          </button>
        </>
      )}
    </div>
  );
}
