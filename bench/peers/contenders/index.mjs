// Who is measured, in the order of the tables.
import { assay } from "./assay.mjs";
import { assayLibrary } from "./assay-library.mjs";
import { braintrust } from "./braintrust.mjs";
import { evalite } from "./evalite.mjs";
import { floor } from "./floor.mjs";
import { mastra } from "./mastra.mjs";
import { promptfoo } from "./promptfoo.mjs";
import { vitestEvals } from "./vitest-evals.mjs";

/**
 * `role` says what is compared with what: ours, the floor, a library or a command. `stores` is null for those that keep
 * nothing on disk. `outcome` tells what a run has scored, `onDisk` what a killed one has left.
 */
export const CONTENDERS = [floor, assay, assayLibrary, braintrust, mastra, vitestEvals, promptfoo, evalite];
