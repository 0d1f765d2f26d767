export { snapshotOf, stateOf } from "./changes.js";
export { offeredSkills, skillFiles, writeSkills } from "./folder-writer.js";
export { writeGitIdentity } from "./git.js";
export { scrubbedEnv } from "./scrubbed-env.js";

export { type FolderWatch, watchFolder } from "./watch-folder.js";
export { rebuildWorkspace, Workspace } from "./workspace.js";
