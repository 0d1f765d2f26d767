import type { Example } from "../../core/example.js";
import type { Output } from "../../core/system.js";
import { jsonText } from "../timeline-text.js";
import type { ShownField } from "./contract.js";
import { cutText } from "./trial-cut.js";

/** A field with all of its text. */
type WholeField = Pick<ShownField, "name" | "text" | "kind">;

/** Longer texts are fetched when they are asked for. */
const MOST_SHOWN = 100_000;

const EXAMPLE_FIRST = ["question", "context", "turns", "answer", "answers", "choices"];
const OUTPUT_FIRST = ["response", "context"];
/** The key of a trial says these. */
const IN_KEY = ["id", "dataset"];
/** The work of agents has a timeline, and a list of files. */
const SHOWN_APART = ["trajectory", "workspace"];

/** What was asked, the question first. */
export function exampleFields(example: Example): WholeField[] {
  return fieldsOf(example, { first: EXAMPLE_FIRST, leftOut: IN_KEY });
}

/** What came back, the response first. */
export function outputFields(output: Output): WholeField[] {
  return fieldsOf(output, { first: OUTPUT_FIRST, leftOut: [...IN_KEY, ...SHOWN_APART] });
}

/** A field as far as it is shown at first. */
export function shownField({ name, text, kind }: WholeField): ShownField {
  return { name, text: cutText(text, MOST_SHOWN), length: text.length, kind };
}

interface FieldOrder {
  first: readonly string[];
  leftOut: readonly string[];
}

function fieldsOf(value: Readonly<Record<string, unknown>>, { first, leftOut }: FieldOrder): WholeField[] {
  const names = Object.keys(value).filter((name) => !leftOut.includes(name));
  const ahead = first.filter((name) => names.includes(name));
  const others = names.filter((name) => !first.includes(name));
  return [...ahead, ...others].map((name) => wholeField(name, value[name]));
}

function wholeField(name: string, value: unknown): WholeField {
  return typeof value === "string"
    ? { name, text: value, kind: "text" }
    : { name, text: jsonText(value, 2), kind: "json" };
}
