import { nearest } from "../../core/suggest.js";
import type { KeyPath } from "../../utils/files/yaml-tree.js";

type Fields = Readonly<Record<string, unknown>>;

/** An entry of a list of graders in our own spelling, and what was moved for it. */
export interface GraderKeys {
  readonly value: Fields;
  readonly moves: readonly { readonly to: KeyPath; readonly from: KeyPath }[];
  readonly notes: readonly string[];
}

const OWN = ["type", "config", "name", "required", "weight"];

/**
 * Reads an entry that has its settings beside its type, `{ type: file-exists, path: a.js }`, or names its type with
 * underscores. A key that looks like one of the entry's own is left where it is: it is a slip of the pen.
 */
export function graderKeys(given: Fields, isGraderType: (type: string) => boolean): GraderKeys {
  const notes: string[] = [];
  const typed = withKnownType(given, isGraderType, notes);
  const beside = Object.keys(typed).filter((key) => !OWN.includes(key) && nearest(key, OWN) === undefined);
  if (beside.length === 0 || typed.config !== undefined) return { value: typed, moves: [], notes };
  const kept = Object.entries(typed).filter(([key]) => !beside.includes(key));
  const config = Object.fromEntries(beside.map((key) => [key, typed[key]]));
  return {
    value: { ...Object.fromEntries(kept), config },
    moves: beside.map((key) => ({ to: ["config", key], from: [key] })),
    notes: [...notes, "graders: settings beside the type are read as its config"],
  };
}

function withKnownType(given: Fields, isGraderType: (type: string) => boolean, notes: string[]): Fields {
  const { type } = given;
  if (typeof type !== "string" || isGraderType(type)) return given;
  const dashed = type.replaceAll("_", "-");
  if (!isGraderType(dashed)) return given;
  notes.push(`graders: the type ${type} is read as ${dashed}`);
  return { ...given, type: dashed };
}
