import { expect, it } from "vitest";
import { classifyErrorMessage } from "./fields.js";

it.each([
  ["Request failed with status 429", "rate_limit"],
  ["Error: Too many requests, slow down", "rate_limit"],
  ["Timeout after 300000ms waiting for session.idle", "timeout"],
  ["context deadline exceeded", "timeout"],
  ["API error: 503 Service Unavailable", "api_error"],
  ["connect ECONNREFUSED 127.0.0.1:80", "api_error"],
  ["fetch failed", "api_error"],
  ["Cannot read properties of undefined", "system_error"],
  ["", "system_error"],
])("classifies %s as %s", (message, category) => {
  expect(classifyErrorMessage(message)).toBe(category);
});
