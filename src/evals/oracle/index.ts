export type { OracleTask } from "./check-stimulus.js";
export { commandsOf } from "./commands.js";
export { oracleTasks, runOracle } from "./oracle.js";
export {
  type CheckedStimulus,
  isSurvivor,
  type StateVerdict,
  type StimulusCheck,
  type StimulusPlace,
  type TriedOmission,
} from "./result.js";
export type { LeftOut } from "./taking-part.js";
export type { OracleProgress } from "./tally.js";
