import type { DisplayField, TrialView } from "../../../../src/report/dashboard/contract.js";
import { type TrialKey, useSource } from "../../data/index.js";
import { formatPlural, LongText, revealLine } from "../../ui/index.js";

/** Fields of an example that hold the expected answer. */
const GOLD_FIELD_PATTERN = /^(answers?|gold|expected|reference|target|label|solution)/i;

export function TrialTexts({ id, view }: { id: string; view: TrialView }) {
  const gold = view.example?.filter(({ name }) => GOLD_FIELD_PATTERN.test(name)) ?? [];
  const { prompt, others: settings } = splitExample(
    view.example?.filter(({ name }) => !GOLD_FIELD_PATTERN.test(name)) ?? [],
    Object.keys(view.row.facets ?? {}),
  );
  const fields = { id, trial: view.row };
  const { produced, others } = splitOutput(view.output, view.example ?? []);
  return (
    <>
      <div class="texts">
        <section aria-labelledby="output">
          <h2 id="output">Response</h2>
          {view.output.length === 0 && <p class="quiet">Nothing came back, or it was not kept.</p>}
          <TextFields {...fields} of="output" fields={produced} />
          {others.length > 0 && (
            <details class="other-fields">
              <summary>{formatPlural(others.length, "other field")} of the output</summary>
              <TextFields {...fields} of="output" fields={others} />
            </details>
          )}
        </section>
        {gold.length > 0 && (
          <section aria-labelledby="gold">
            <h2 id="gold">Expected answer</h2>
            <TextFields {...fields} of="example" fields={gold} />
          </section>
        )}
      </div>
      {view.example === null && <p class="quiet">The run did not keep what was asked.</p>}
      {prompt.length > 0 && (
        <section aria-labelledby="asked">
          <h2 id="asked">Prompt</h2>
          <TextFields {...fields} of="example" fields={prompt} />
        </section>
      )}
      {settings.length > 0 && (
        <details class="other-fields">
          <summary>
            {formatPlural(settings.length, "other field")} of the example:{" "}
            {settings.map(({ name }) => revealLine(name)).join(", ")}
          </summary>
          <TextFields {...fields} of="example" fields={settings} />
        </details>
      )}
    </>
  );
}

interface TextFieldsProps {
  id: string;
  trial: TrialKey;
  of: "example" | "output";
  fields: readonly DisplayField[];
}

function TextFields({ id, trial, of, fields }: TextFieldsProps) {
  const source = useSource();
  return (
    <>
      {fields.map(({ name, text, length, kind }) => (
        <div key={name} class="field">
          <h3>
            <bdi>{revealLine(name)}</bdi>
          </h3>
          <LongText
            label={revealLine(name)}
            text={text}
            length={length}
            kind={kind}
            load={() => source.getText(id, trial, { of, name })}
          />
        </div>
      ))}
    </>
  );
}

/** Measurements, which the page shows elsewhere. */
const MEASUREMENT_FIELDS = new Set([
  "usage",
  "costUsd",
  "latency",
  "ttftMs",
  "firstAttemptMs",
  "successAtMs",
  "turns",
  "tokensPerSec",
  "partial",
  "metadata",
]);

/** What a system produced, and the rest: measurements and fields copied from the example. */
interface OutputParts {
  readonly produced: readonly DisplayField[];
  readonly others: readonly DisplayField[];
}

export function splitOutput(output: readonly DisplayField[], example: readonly DisplayField[]): OutputParts {
  const given = new Map(example.map((field) => [field.name, field]));
  const isOther = ({ name, text, length }: DisplayField) => {
    const before = given.get(name);
    return MEASUREMENT_FIELDS.has(name) || (before?.text === text && before.length === length);
  };
  return { produced: output.filter((field) => !isOther(field)), others: output.filter(isOther) };
}

/** Fields that a model is asked with, even if they are lists, objects or a single word. */
const PROMPT_FIELDS = new Set(
  "question prompt text query task instruction problem turns choices messages input context conversation".split(" "),
);

interface ExampleParts {
  /** What the system was asked. */
  readonly prompt: readonly DisplayField[];
  /** How it is set up and graded. */
  readonly others: readonly DisplayField[];
}

/**
 * Facets are shown as chips. JSON such as environments and graders is no prompt, nor is a single word such as a
 * difficulty, unless nothing else is there.
 */
export function splitExample(fields: readonly DisplayField[], facets: readonly string[]): ExampleParts {
  const own = fields.filter(({ name }) => !facets.includes(name));
  const isText = ({ name, kind }: DisplayField) => kind === "text" || PROMPT_FIELDS.has(name);
  const isLikelyPrompt = (field: DisplayField) =>
    isText(field) && (PROMPT_FIELDS.has(field.name) || /\s/.test(field.text.trim()));
  const isPrompt = own.some(isLikelyPrompt) ? isLikelyPrompt : isText;
  return { prompt: own.filter(isPrompt), others: own.filter((field) => !isPrompt(field)) };
}
