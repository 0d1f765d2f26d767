import { useEffect, useState } from "preact/hooks";
import type { TrialLabel, TrialLabelDraft } from "../../../../src/report/dashboard/contract.js";
import type { TrialKey } from "../../data/index.js";
import { formatMoment, isCommandKey, revealLine, revealText } from "../../ui/index.js";
import { findLabel, useLabels } from "./use-labels.js";

/** Marks a trial right or wrong, with a note and tags; read-only unless the server writes labels. */
export function TrialLabelPanel({ id, trial }: { id: string; trial: TrialKey }) {
  const { view, canWrite, problem, save } = useLabels(id);
  const label = findLabel(view, trial);
  if (view === null || (!canWrite && label === null)) return null;
  return (
    <section class="label-panel" aria-labelledby="trial-label">
      <h2 id="trial-label">Label</h2>
      {label !== null && <LabelWords label={label} />}
      {canWrite && <LabelForm key={label?.at ?? ""} trial={trial} label={label} save={save} />}
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}

function LabelWords({ label: { verdict, note, tags, blind, at, labeler } }: { label: TrialLabel }) {
  return (
    <p role="status">
      <strong>{verdict === null ? "No verdict" : `Marked ${verdict}`}</strong>
      <span class="quiet">
        {blind && " without seeing the system"} {labeler !== null && `by ${revealLine(labeler)} `}on {formatMoment(at)}
      </span>
      {tags.length > 0 && ` · ${tags.map(revealLine).join(", ")}`}
      {note !== "" && <span class="label-note">{revealText(note)}</span>}
    </p>
  );
}

interface LabelFormProps {
  trial: TrialKey;
  label: TrialLabel | null;
  save: (label: TrialLabelDraft) => Promise<boolean>;
}

function LabelForm({ trial: { system, dataset, exampleId, trial }, label, save }: LabelFormProps) {
  const [note, setNote] = useState(label?.note ?? "");
  const [tags, setTags] = useState(label?.tags.join(", ") ?? "");
  const mark = (verdict: TrialLabelDraft["verdict"], rest = { note, tags: splitTags(tags) }) =>
    void save({ system, dataset, exampleId, trial, verdict, ...rest, blind: false });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isCommandKey(event)) return;
      if (event.key === "r") mark("right");
      if (event.key === "w") mark("wrong");
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
  const current = label?.verdict ?? null;
  return (
    <form
      class="label-form"
      onSubmit={(event) => {
        event.preventDefault();
        mark(current);
      }}
    >
      <div class="label-buttons">
        <button type="button" aria-pressed={current === "right"} aria-keyshortcuts="r" onClick={() => mark("right")}>
          ✓ Right <kbd>r</kbd>
        </button>
        <button type="button" aria-pressed={current === "wrong"} aria-keyshortcuts="w" onClick={() => mark("wrong")}>
          ✗ Wrong <kbd>w</kbd>
        </button>
        {label !== null && (
          <button type="button" onClick={() => mark(null, { note: "", tags: [] })}>
            Clear
          </button>
        )}
      </div>
      <label>
        Note
        <textarea rows={2} maxLength={4000} value={note} onInput={(event) => setNote(event.currentTarget.value)} />
      </label>
      <label>
        Tags, separated by commas
        <input type="text" value={tags} onInput={(event) => setTags(event.currentTarget.value)} />
      </label>
      <button type="submit">Save note and tags</button>
    </form>
  );
}

/**
 * @example
 * splitTags("hard, ,odd,hard"); // ["hard", "odd"]
 */
export function splitTags(text: string): string[] {
  const tags = text.split(",").map((tag) => tag.trim());
  return [...new Set(tags)].filter((tag) => tag !== "");
}
