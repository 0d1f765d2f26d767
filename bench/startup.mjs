// What `assay --help` costs over starting Node at all.
import { ASSAY, inTurns, runNode, times } from "./measure.mjs";

const ROUNDS = 15;

export async function measure() {
  const { node, help } = await inTurns(
    { node: () => runNode(["-e", "0"]), help: () => runNode([ASSAY, "--help"]) },
    ROUNDS,
  );
  const ms = (seconds) => `${Math.round(seconds * 1000)} ms`;
  return [["`assay --help` against `node -e 0`", "≤ 1.60 ×", `${times(help / node)} (${ms(help)} of ${ms(node)})`]];
}
