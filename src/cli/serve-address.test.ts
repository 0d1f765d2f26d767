import { expect, test } from "vitest";
import { addressRemark } from "./serve.js";

test("who listens on all addresses is told that this is none to open", () => {
  expect(addressRemark("0.0.0.0")).toContain("in place of 0.0.0.0");
  expect(addressRemark("::")).toContain("in place of ::");
  expect(addressRemark("127.0.0.1")).toBeNull();
  expect(addressRemark("192.168.0.7")).toBeNull();
});
