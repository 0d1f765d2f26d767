/** Runs trials on other machines over Redis: coordinator and worker. */
export { duplicateConnection, openRedis, stripSecrets } from "./connection.js";
export {
  type Announcement,
  type PlanSource,
  QUEUE_SCHEMA,
  QUEUE_STATE_FILE,
  QUEUE_STATE_SCHEMA,
  type WorkerState,
} from "./contract.js";
export { coordinateRun } from "./coordinator.js";
export { listLiveRuns, listRuns, listWorkers, type QueuedRun, removeRun } from "./directory.js";
export { BULL_PREFIX, getQueueName, KEYS } from "./keys.js";
export { RedisRefusedError, retryRedis } from "./redis-retry.js";
export { type ServeRunOptions, serveRun, type TrialShare, WorkerDismissedError } from "./serve-run.js";
export { createSigner, MAX_ANNOUNCEMENT_AGE_MS, parseSignedAnnouncement, QueueSigner } from "./signer.js";
export { removeSharedFolder } from "./stored-output.js";
export { WorkerHeartbeat } from "./worker-heartbeat.js";
