export { writeGitIdentity } from "./git.js";
export { rebuildWorkspace } from "./rebuild.js";
export { scrubbedEnv } from "./scrubbed-env.js";
export { snapshotOf } from "./snapshot.js";
export { stateOf } from "./state.js";
export { type FolderWatch, watchFolder } from "./watch-folder.js";
export { Workspace } from "./workspace.js";
export { offeredSkills, skillFiles, writeSkills } from "./write-skills.js";
