import { useEffect, useRef } from "preact/hooks";
import { isCommandKey } from "../ui/index.js";

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ["j, k", "Next and previous row, example or trial"],
  ["Enter", "Open the row"],
  ["/", "Search"],
  ["← →", "Switch tabs; move between the points of a chart"],
  ["+ − 0", "Zoom in, out and back around the focused point of a chart"],
  ["r, w", "Mark a trial right or wrong, where labels can be written"],
  ["s, u", "Skip and undo in the labeling queue"],
  ["?", "Show these keys"],
];

/** Keys that work on every page, and the list of them. */
export function KeyHelp() {
  const dialog = useRef<HTMLDialogElement>(null);
  const show = () => dialog.current?.showModal();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isCommandKey(event) || dialog.current?.open) return;
      if (event.key === "?") show();
      else if (event.key === "/") focusSearch();
      else if (event.key === "j" || event.key === "k") moveBy(event.key === "j" ? 1 : -1);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <>
      <button type="button" class="key-help" aria-label="Keys" title="Keys (?)" onClick={show}>
        ?
      </button>
      <dialog ref={dialog} class="keys" aria-labelledby="keys-title">
        <h2 id="keys-title">Keys</h2>
        <dl>
          {KEYS.map(([keys, what]) => (
            <div key={keys}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  );
}

function focusSearch(): void {
  document.querySelector<HTMLInputElement>("main input[type=search]")?.focus();
}

/** Moves to the neighbor of a trial, in the grid of rows, or among the examples of a list. */
function moveBy(step: 1 | -1): void {
  const neighbor = document.querySelector<HTMLElement>(`main a[rel=${step === 1 ? "next" : "prev"}]`);
  const grid = document.querySelector<HTMLElement>("main [role=grid]");
  if (neighbor !== null) neighbor.click();
  else if (grid !== null) moveInRows(grid, step);
  else focusNeighbor([...document.querySelectorAll<HTMLElement>("main [data-key-stop]")], step);
}

function moveInRows(grid: HTMLElement, step: 1 | -1): void {
  grid.focus();
  grid.dispatchEvent(new KeyboardEvent("keydown", { key: step === 1 ? "ArrowDown" : "ArrowUp" }));
}

function focusNeighbor(stops: readonly HTMLElement[], step: 1 | -1): void {
  const next = stops[stops.indexOf(document.activeElement as HTMLElement) + step];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}
