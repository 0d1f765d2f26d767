// Assay as a library, which keeps everything in memory unless it is told a folder: the same as the libraries among its peers.
import { fileURLToPath } from "node:url";
import { printedOutcome } from "./outcome.mjs";
import { projectEnv } from "./project.mjs";

const PROGRAM = fileURLToPath(new URL("../assay-program.mjs", import.meta.url));

export const assayLibrary = {
  name: "assay-library",
  role: "ours",
  stores: null,
  notes: "`evaluate()` without a folder: results stay in memory, as with the other libraries.",
  echo: (trial) => ({ args: [PROGRAM], env: projectEnv(trial), results: [] }),
  outcome: printedOutcome,
};
