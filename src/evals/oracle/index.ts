export type { OracleTask } from "./check-stimulus.js";
export { oracleTasks, runOracle } from "./oracle.js";
export {
  type CheckedStimulus,
  isSurvivor,
  type LeftOut,
  listCommands,
  type OracleProgress,
  type StateVerdict,
  type StimulusCheck,
  type StimulusPlace,
  type TriedOmission,
} from "./result.js";
