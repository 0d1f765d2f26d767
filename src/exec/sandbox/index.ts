export { describeIsolation } from "./isolation.js";
