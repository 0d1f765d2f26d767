import { buildAddress } from "./route.js";

/** The picked runs or systems, and a handler for changes. */
export interface PickState {
  picks: readonly ComparePick[];
  onPicks: (picks: readonly ComparePick[]) => void;
}

interface PickBoxProps extends PickState {
  pick: ComparePick;
  /** Names what is picked. */
  label: string;
}

export function PickBox({ picks, pick, label, onPicks }: PickBoxProps) {
  return (
    <input
      type="checkbox"
      class="pick"
      aria-label={`Compare ${label}`}
      title="Choose two or more to compare them with the first"
      checked={isPicked(picks, pick)}
      disabled={picks.length === MAX_PICKS && !isPicked(picks, pick)}
      onChange={() => onPicks(togglePick(picks, pick))}
    />
  );
}

interface CompareBarProps extends PickState {
  formatName: (pick: ComparePick) => string;
}

/** The picks, and a link to their comparison. */
export function CompareBar({ picks, formatName, onPicks }: CompareBarProps) {
  const address = buildCompareAddress(picks);
  return (
    <div class={picks.length === 0 ? "compare-bar is-empty" : "compare-bar"} role="status">
      {picks.length > 0 && (
        <>
          <span class="compare-names">
            {picks.map((pick, place) => (
              <span key={`${pick.run} ${pick.system}`}>
                <b>{SIDE_LETTERS[place]}</b> {formatName(pick)}
              </span>
            ))}
            {address === null && <span class="quiet">Choose one more to compare them.</span>}
          </span>
          {address !== null && (
            <a class="button" href={address}>
              {picks.length === 2 ? "Compare the two" : `Compare ${picks.length - 1} with A`}
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

/** A is the baseline, every other is compared with it. */
const SIDE_LETTERS = "ABCDEF";
const MAX_PICKS = SIDE_LETTERS.length;

/** A run, or one system of it. */
export interface ComparePick {
  run: string;
  system?: string;
}

/** Empty when the text is invalid. */
export function parsePicks(text: string | undefined): ComparePick[] {
  try {
    const read: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(read) ? read.flatMap(parsePick).slice(0, MAX_PICKS) : [];
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

/** Adds or removes a pick. The first is the baseline. */
export function togglePick(picks: readonly ComparePick[], pick: ComparePick): ComparePick[] {
  if (isPicked(picks, pick)) return picks.filter((other) => !isSamePick(other, pick));
  return [...picks, pick].slice(0, MAX_PICKS);
}

/** Null until there are two picks. The third and later ones are in `also`. */
export function buildCompareAddress([a, b, ...also]: readonly ComparePick[]): string | null {
  if (a === undefined || b === undefined) return null;
  return buildAddress(["compare"], {
    a: a.run,
    b: b.run,
    systemA: a.system,
    systemB: b.system,
    also: formatPicks(also),
  });
}
