import { fieldOf, isObject, type JsonObject, listOf, nameFrom, objectOf, shortName, textOf } from "./fields.js";
import type { ImportedSystem } from "./format.js";

/** A column of its table: a provider with one of the prompts. */
interface Column {
  readonly provider: string;
  readonly prompt: string;
}

/** Names the system of a record. */
export type SystemNames = (record: JsonObject) => ImportedSystem;

const LONGEST_PROMPT = 60;

/** For records without the document that names all prompts: each prompt is told from the others by its label. */
export function namesByRecord(record: JsonObject): ImportedSystem {
  const { provider, prompt } = columnOf(record);
  return systemOf(provider, prompt === "" ? provider : `${provider} [${prompt}]`);
}

/** With all columns known, the prompt is named only where a provider was asked with several. */
export function namesByColumns(results: JsonObject): SystemNames {
  const heads = [listOf(results, "prompts"), listOf(objectOf(objectOf(results, "table"), "head"), "prompts")];
  const columns = (heads.find((list) => list.length > 0) ?? []).map((head) => (isObject(head) ? headOf(head) : null));
  const labels = columns.map((column, index) => labelOf(column, index, columns));
  const hasOnePrompt = new Set(columns.map((column) => column?.prompt)).size <= 1;
  return (record) => {
    const { provider } = columnOf(record);
    const label = hasOnePrompt ? provider : labels[Number(fieldOf(record, "promptIdx"))];
    return label === undefined ? namesByRecord(record) : systemOf(provider, label);
  };
}

/** Two prompts may begin alike: then the place of the column is named as well. */
function labelOf(column: Column | null, index: number, columns: readonly (Column | null)[]): string | undefined {
  if (column === null) return undefined;
  const others = columns.filter((other) => other?.provider === column.provider);
  if (others.length <= 1) return column.provider;
  const isAlone = others.filter((other) => other?.prompt === column.prompt).length === 1;
  return `${column.provider} [${isAlone ? column.prompt : `${column.prompt} #${index + 1}`}]`;
}

function headOf(head: JsonObject): Column {
  return { provider: textOf(head, "provider") ?? "", prompt: promptOf(head) };
}

function promptOf(prompt: JsonObject): string {
  return shortName(textOf(prompt, "label", "display", "raw"), LONGEST_PROMPT);
}

function columnOf(record: JsonObject): Column {
  const provider = fieldOf(record, "provider");
  const name = isObject(provider) ? textOf(provider, "label", "id") : provider;
  return { provider: nameFrom(name, "provider"), prompt: promptOf(objectOf(record, "prompt")) };
}

/** A provider is named `openai:chat:gpt-5`: what follows the first colon is no more than close to a model's name. */
function systemOf(model: string, name: string): ImportedSystem {
  return { name, model };
}
