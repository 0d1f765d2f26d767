import { type Call, canonicalizeToolName } from "./call.js";
import type { ExpectedCall } from "./expected.js";

/**
 * Why the calls that were made do not match the expected ones; null if they do. Each call pairs with one expected call,
 * in order or in any order.
 */
export function findCallDifference(
  expected: readonly ExpectedCall[],
  made: readonly Call[],
  isOrdered: boolean,
): string | null {
  if (made.length !== expected.length) {
    return `${made.length} ${made.length === 1 ? "call" : "calls"} made, ${expected.length} expected`;
  }
  const [wanted, call] = [expected[0], made[0]];
  if (wanted === undefined || call === undefined) return null;
  if (isOrdered || made.length === 1) return findFirstDifference(expected, made);
  if (canPairAll(expected, made)) return null;
  return findFirstDifference(expected, made) ?? "the calls do not match";
}

function findFirstDifference(expected: readonly ExpectedCall[], made: readonly Call[]): string | null {
  for (const [i, wanted] of expected.entries()) {
    const call = made[i];
    const difference = call === undefined ? "is missing" : compareCall(wanted, call);
    if (difference !== null) return `call ${i + 1}: ${difference}`;
  }
  return null;
}

const NONE: ReadonlySet<string> = new Set();

function compareCall(wanted: ExpectedCall, { name, args, wholeFloats = NONE }: Call): string | null {
  if (canonicalizeToolName(name) !== canonicalizeToolName(wanted.name))
    return `calls ${name.slice(0, 60)}, not ${wanted.name}`;
  return args === null ? "arguments are not JSON" : wanted.findDifference(args, wholeFloats);
}

/** Bipartite matching: pairs every expected call, reassigning earlier pairs where needed. */
function canPairAll(expected: readonly ExpectedCall[], made: readonly Call[]): boolean {
  const fits = expected.map((wanted) => made.flatMap((call, i) => (compareCall(wanted, call) === null ? [i] : [])));
  const takenBy = new Map<number, number>();
  return expected.every((_, i) => assignCall(i, { fits, takenBy, tried: new Set() }));
}

interface PairingState {
  fits: readonly (readonly number[])[];
  takenBy: Map<number, number>;
  tried: Set<number>;
}

function assignCall(wanted: number, places: PairingState): boolean {
  for (const call of places.fits[wanted] ?? []) {
    if (places.tried.has(call)) continue;
    places.tried.add(call);
    const holder = places.takenBy.get(call);
    if (holder === undefined || assignCall(holder, places)) {
      places.takenBy.set(call, wanted);
      return true;
    }
  }
  return false;
}
