export { type HttpClient, openClient } from "./client.js";
