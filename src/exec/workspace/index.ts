export { getWorkspaceState } from "./snapshot.js";
export { Workspace } from "./workspace.js";
