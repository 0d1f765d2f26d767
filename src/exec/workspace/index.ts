export { writeGitIdentity } from "./git.js";
export { rebuildWorkspace } from "./rebuild.js";
export { buildScrubbedEnv } from "./scrubbed-env.js";
export { takeSnapshot } from "./snapshot.js";
export { getWorkspaceState } from "./state.js";
export { type FolderWatch, watchFolder } from "./watch-folder.js";
export { Workspace } from "./workspace.js";
export { listOfferedSkills, toSkillFiles, writeSkills } from "./write-skills.js";
