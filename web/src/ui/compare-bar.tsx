import { buildAddress } from "./route.js";

/** What is chosen to be compared, and how another choice is made. */
export interface PickState {
  picks: readonly ComparePick[];
  onPicks: (picks: readonly ComparePick[]) => void;
}

interface PickBoxProps extends PickState {
  pick: ComparePick;
  /** What is chosen by it, in words. */
  label: string;
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

interface CompareBarProps extends PickState {
  formatName: (pick: ComparePick) => string;
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

/** What is chosen to be compared: a run, or one system of it. */
export interface ComparePick {
  run: string;
  system?: string;
}

/** Reads what is chosen out of an address; nothing when it cannot be read. */
export function parsePicks(text: string | undefined): ComparePick[] {
  try {
    const read: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(read) ? read.flatMap(parsePick).slice(0, 2) : [];
  } catch {
    return [];
  }
}

function parsePick(value: unknown): ComparePick[] {
  if (!Array.isArray(value)) return [];
  const [run, system] = value as readonly unknown[];
  if (typeof run !== "string") return [];
  return [typeof system === "string" ? { run, system } : { run }];
}

/** Writes what is chosen for an address; empty when nothing is. */
export function formatPicks(picks: readonly ComparePick[]): string {
  if (picks.length === 0) return "";
  return JSON.stringify(picks.map(({ run, system }) => (system === undefined ? [run] : [run, system])));
}

export function isPicked(picks: readonly ComparePick[], wanted: ComparePick): boolean {
  return picks.some((pick) => isSamePick(pick, wanted));
}

function isSamePick(one: ComparePick, other: ComparePick): boolean {
  return one.run === other.run && one.system === other.system;
}

/** Chooses one, or takes it back; a third takes the place of the one that was chosen first. */
export function togglePick(picks: readonly ComparePick[], pick: ComparePick): ComparePick[] {
  if (isPicked(picks, pick)) return picks.filter((other) => !isSamePick(other, pick));
  return [...picks, pick].slice(-2);
}

/** Where the two that are chosen are compared; null until there are two. */
export function buildCompareAddress([a, b]: readonly ComparePick[]): string | null {
  if (a === undefined || b === undefined) return null;
  return buildAddress(["compare"], { a: a.run, b: b.run, systemA: a.system, systemB: b.system });
}
