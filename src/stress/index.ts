/** Stress tests: arms of a system with faults and reworded tasks. */
export { createArms } from "./arms.js";
export { Paraphraser } from "./paraphrase.js";
export type { PerturbationKind } from "./perturb.js";
export { type FrozenPerturbations, freezePerturbations, hashTask, parsePerturbations } from "./perturbation-file.js";
