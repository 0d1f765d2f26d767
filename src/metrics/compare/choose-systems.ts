import { UsageError } from "../../core/errors.js";
import { didYouMean } from "../../core/suggest.js";

/** The systems of two runs, and which of them are meant. */
export interface SystemChoice {
  ofA: readonly string[];
  ofB: readonly string[];
  /** A and B are one run. */
  isSameRun: boolean;
  systemA?: string | undefined;
  systemB?: string | undefined;
}

export interface ChosenSystems {
  pairs: readonly (readonly [a: string, b: string])[];
  notes: readonly string[];
}

/**
 * Which system of A is held against which of B: those that are named, the only ones, or those of the same name.
 * @example
 * chooseSystems({ ofA: ["gpt-5"], ofB: ["gpt-5.5"], isSameRun: false }); // { pairs: [["gpt-5", "gpt-5.5"]], notes: [] }
 */
export function chooseSystems(choice: SystemChoice): ChosenSystems {
  const { ofA, ofB, isSameRun } = choice;
  const systemA = known("a", choice.systemA, ofA) ?? only(ofA);
  const systemB = known("b", choice.systemB, ofB) ?? only(ofB);
  if (systemA !== undefined && systemB !== undefined) return { pairs: [checked(systemA, systemB, choice)], notes: [] };
  if (isSameRun) throw ambiguous(choice, "A and B are the same run");
  if (choice.systemA !== undefined || choice.systemB !== undefined) return { pairs: [sameName(choice)], notes: [] };
  const shared = ofA.filter((name) => ofB.includes(name));
  if (shared.length === 0) throw ambiguous(choice, "The runs have no system of the same name");
  const lone = [...leftOut("A", ofA, shared), ...leftOut("B", ofB, shared)];
  return { pairs: shared.map((name) => [name, name]), notes: lone };
}

function known(side: "a" | "b", name: string | undefined, names: readonly string[]): string | undefined {
  if (name === undefined || names.includes(name)) return name;
  throw new UsageError(`--system-${side} ${name}: ${side.toUpperCase()} has no such system.${didYouMean(name, names)}`);
}

function only(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined;
}

/** Of two runs one system was named, and the other run has several: it is that of the same name, or must be named. */
function sameName(choice: SystemChoice): [string, string] {
  const { ofA, ofB, systemA, systemB } = choice;
  const name = systemA ?? systemB ?? "";
  if (ofA.includes(name) && ofB.includes(name)) return [name, name];
  throw ambiguous(choice, `${systemA === undefined ? "A" : "B"} has no system "${name}"`);
}

function checked(a: string, b: string, { isSameRun, ...choice }: SystemChoice): [string, string] {
  if (!isSameRun || a !== b) return [a, b];
  throw new UsageError(
    choice.ofA.length === 1
      ? `A and B are the same run, and ${a} is its only system: there is nothing to compare it with. Name another run as B.`
      : `A and B are both the system ${a} of the same run: name two with --system-a and --system-b. Systems: ${choice.ofA.join(", ")}.`,
  );
}

function ambiguous({ ofA, ofB }: SystemChoice, why: string): UsageError {
  return new UsageError(
    `${why}: say which systems to compare with --system-a and --system-b. Systems of A: ${ofA.join(", ")}. Systems of B: ${ofB.join(", ")}.`,
  );
}

function leftOut(side: string, names: readonly string[], shared: readonly string[]): string[] {
  const lone = names.filter((name) => !shared.includes(name));
  return lone.length === 0 ? [] : [`only in ${side}, and not compared: ${lone.join(", ")}`];
}
