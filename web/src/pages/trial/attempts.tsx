import type { EvalRow } from "../../../../src/core/row.js";
import { formatMilliseconds } from "../../ui/index.js";
import { LongText } from "./text/long-text.js";
import { revealText } from "./text/visible-text.js";

const ATTEMPT_EXCERPT = { characters: 1000, lines: 10 };

/** Calls that failed before the trial had its output. */
export function FailedAttempts({ row: { attempts } }: { row: EvalRow }) {
  if (attempts.length === 0) return null;
  return (
    <section aria-labelledby="attempts">
      <h2 id="attempts">Attempts that failed</h2>
      <ol class="attempts">
        {attempts.map(({ errorCategory, message, durationMs }, place) => (
          <li key={place}>
            <code>{errorCategory}</code> <span class="quiet">after {formatMilliseconds(durationMs)}</span>
            <LongText label={`attempt ${place + 1}`} text={message} length={message.length} first={ATTEMPT_EXCERPT} />
          </li>
        ))}
      </ol>
    </section>
  );
}

/** What was noted about the trial, and what its system wrote down. */
export function TrialNotes({ row: { notes, metadata } }: { row: EvalRow }) {
  const text = metadata === null ? null : JSON.stringify(metadata);
  if (notes.length === 0 && text === null) return null;
  return (
    <section aria-labelledby="notes">
      <h2 id="notes">Notes</h2>
      <ul class="notes">
        {notes.map((note) => (
          <li key={note}>{revealText(note)}</li>
        ))}
      </ul>
      {text !== null && (
        <div class="field">
          <h3>metadata</h3>
          <LongText label="metadata" text={text} length={text.length} kind="json" first={ATTEMPT_EXCERPT} />
        </div>
      )}
    </section>
  );
}
