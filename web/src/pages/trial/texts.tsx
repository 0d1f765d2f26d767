import type { DisplayField, TrialView } from "../../../../src/report/dashboard/contract.js";
import type { TrialKey } from "../../data/source.js";
import { useSource } from "../../shell/context.js";
import { formatPlural } from "../../ui/index.js";
import { splitOutput } from "./output-parts.js";
import { LongText } from "./text/long-text.js";
import { revealLine } from "./text/visible-text.js";

/** Fields of an example that hold what should have come back. */
const GOLD_FIELD_PATTERN = /^(answers?|gold|expected|reference|target|label|solution)/i;

/** What was asked, what came back, and what should have. */
export function TrialTexts({ id, view }: { id: string; view: TrialView }) {
  const gold = view.example?.filter(({ name }) => GOLD_FIELD_PATTERN.test(name)) ?? [];
  const prompt = view.example?.filter(({ name }) => !GOLD_FIELD_PATTERN.test(name)) ?? [];
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
            <h2 id="gold">Gold answer</h2>
            <TextFields {...fields} of="example" fields={gold} />
          </section>
        )}
      </div>
      <section aria-labelledby="asked">
        <h2 id="asked">Prompt</h2>
        {view.example === null && <p class="quiet">The run did not keep what was asked.</p>}
        <TextFields {...fields} of="example" fields={prompt} />
      </section>
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
