import { useId, useState } from "preact/hooks";
import type { RunCard, TopErrors } from "../../../src/report/dashboard/contract.js";
import { formatCount, formatQuantity, formatShare } from "../ui/index.js";
import { ErrorsChart } from "./errors.js";
import { formatName, formatNameList } from "./names.js";
import type { ChartProps } from "./plot.js";

interface TopErrorsViewProps extends ChartProps {
  errors: TopErrors;
  run: RunCard;
  /** The address of the trials with an error. */
  buildLink: (error: TopErrors["top"][number]) => string;
}

type ErrorsView = "table" | "bars";

/**
 * The most frequent errors of a run as a table that links to their trials; as bars by category on request.
 * @example
 * <TopErrorsView errors={run.errors} run={run.card} buildLink={({ category }) => `#/run/1/rows?category=${category}`} />
 */
export function TopErrorsView({ errors, run, buildLink, title = "Top error codes", ...props }: TopErrorsViewProps) {
  const id = useId();
  const [view, setView] = useState<ErrorsView>("table");
  const choice = errors.top.length > 0 && <ErrorsViewChoice view={view} title={title} onChange={setView} />;
  if (view === "bars") return <ErrorsChart runs={[run]} by="system" title={title} controls={choice} {...props} />;
  return (
    <figure class="chart" aria-labelledby={`${id}-title`}>
      <figcaption>
        <h3 id={`${id}-title`}>{title}</h3>
      </figcaption>
      {choice !== false && <div class="tools">{choice}</div>}
      <p class="words" dir="auto">
        {describeTopErrors(errors)}
      </p>
      {errors.top.length > 0 && <ErrorTable errors={errors} title={title} buildLink={buildLink} />}
      {errors.leftOut > 0 && <p class="note">{formatQuantity(errors.leftOut, "rarer error")} not shown.</p>}
    </figure>
  );
}

interface ErrorsViewChoiceProps {
  view: ErrorsView;
  title: string;
  onChange: (view: ErrorsView) => void;
}

function ErrorsViewChoice({ view, title, onChange }: ErrorsViewChoiceProps) {
  return (
    <fieldset class="choice" aria-label={`View of ${title}`}>
      {(["table", "bars"] as const).map((choice) => (
        <button key={choice} type="button" aria-pressed={choice === view} onClick={() => onChange(choice)}>
          {choice === "table" ? "Codes" : "Categories"}
        </button>
      ))}
    </fieldset>
  );
}

function ErrorTable({
  errors,
  title,
  buildLink,
}: Pick<TopErrorsViewProps, "errors" | "buildLink"> & { title: string }) {
  return (
    <div class="chartTable error-table">
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            {["Code or message", "Category"].map((column) => (
              <th key={column} scope="col" class="word">
                {column}
              </th>
            ))}
            {["Trials", "Share"].map((column) => (
              <th key={column} scope="col" class="figure">
                {column}
              </th>
            ))}
            <th scope="col" class="word">
              Systems
            </th>
          </tr>
        </thead>
        <tbody>
          {errors.top.map((error) => (
            <tr key={error.code}>
              <th scope="row" class="word" dir="auto">
                <ErrorName error={error} />
              </th>
              <td class="word">{error.category}</td>
              <td class="figure">
                <a
                  href={buildLink(error)}
                  aria-label={`Show ${formatQuantity(error.count, "trial")} with ${error.code}`}
                >
                  {formatCount(error.count)}
                </a>
              </td>
              <td class="figure">{formatShare(error.count / Math.max(errors.trials, 1))}</td>
              <td class="word" dir="auto">
                {formatNameList(
                  error.systems.map(({ system, count }) => `${system} (${formatCount(count)})`),
                  4,
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The code with an example of a message, or the example alone. */
function ErrorName({ error }: { error: TopErrors["top"][number] }) {
  const name = getErrorName(error);
  const message = name === error.code ? removeCode(error) : "";
  return (
    <>
      <strong>{formatName(name)}</strong>
      {message !== "" && <span class="quiet"> {formatName(message)}</span>}
    </>
  );
}

/**
 * The code; an example of the message where messages that differ only in numbers and names count as one.
 * @example
 * getErrorName({ code: "no answer within # s", message: "no answer within 60 s" }); // "no answer within 60 s"
 */
export function getErrorName({ code, message }: Pick<TopErrors["top"][number], "code" | "message">): string {
  const isPattern = /[#…]/.test(code) && message !== null && !message.startsWith(code);
  return isPattern ? message : code;
}

/**
 * What a message says beyond its code, which stands before it.
 * @example
 * removeCode({ code: "HTTP 429", message: "HTTP 429: slow down" }); // "slow down"
 */
export function removeCode({ code, message }: Pick<TopErrors["top"][number], "code" | "message">): string {
  if (message === null) return "";
  // A longer word, such as that of code 42 and message 429, is no repetition.
  const rest = message.startsWith(code) ? message.slice(code.length) : message;
  return /^[\p{L}\p{N}]/u.test(rest) ? message : rest.replace(/^[\s:;,.–-]+/, "");
}

/** The most frequent error, or that there was none. */
export function describeTopErrors({ top, trials, leftOut }: TopErrors): string {
  const [first] = top;
  if (trials === 0) return "No trial has ended yet.";
  if (first === undefined) return `Nothing went wrong in ${formatQuantity(trials, "trial")}.`;
  const kinds = formatQuantity(top.length + leftOut, "different error");
  return `${kinds} in ${formatQuantity(trials, "trial")}. The most frequent is ${formatName(getErrorName(first))}: ${formatQuantity(first.count, "trial")}, ${formatShare(first.count / trials)}.`;
}
