export { writeGitIdentity } from "./git.js";
export { buildScrubbedEnv } from "./scrubbed-env.js";
export { getWorkspaceState, takeSnapshot } from "./snapshot.js";
export { type FolderWatch, watchFolder } from "./watch-folder.js";
export { rebuildWorkspace, Workspace } from "./workspace.js";
export { listOfferedSkills, toSkillFiles, writeSkills } from "./write-skills.js";
