export { type ContentBefore, diffOf } from "./diff.js";
export { EnvironmentReader, inlineEnvironment } from "./environment-reader.js";
export { type RebuildOptions, rebuildWorkspace } from "./rebuild.js";
export { type ScrubbedEnvOptions, scrubbedEnv } from "./scrubbed-env.js";
export { type Snapshot, snapshotOf } from "./snapshot.js";
export { type LiveState, stateOf } from "./state.js";
export { type FolderWatch, type WatchOptions, watchFolder } from "./watch-folder.js";
export { Workspace, type WorkspaceOptions, type WorkspacePaths } from "./workspace.js";
export { WorkspaceError } from "./workspace-error.js";
