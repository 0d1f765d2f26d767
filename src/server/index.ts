/** Serves the dashboard over HTTP. */
export { type RunningServer, startServer } from "./start-server.js";
