import { compareAddress, isPicked, type Pick, togglePick } from "./picks.js";

interface PickBoxProps {
  picks: readonly Pick[];
  pick: Pick;
  /** What is chosen by it, in words. */
  label: string;
  onPicks: (picks: readonly Pick[]) => void;
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
  picks: readonly Pick[];
  nameOf: (pick: Pick) => string;
  onPicks: (picks: readonly Pick[]) => void;
}

/** What is chosen to be compared, and the way there. */
export function CompareBar({ picks, nameOf, onPicks }: CompareBarProps) {
  const address = compareAddress(picks);
  return (
    <div class={picks.length === 0 ? "compare-bar is-empty" : "compare-bar"} role="status">
      {picks.length > 0 && (
        <>
          <span class="compare-names">
            {picks.map((pick, place) => (
              <span key={`${pick.run} ${pick.system}`}>
                <b>{place === 0 ? "A" : "B"}</b> {nameOf(pick)}
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
