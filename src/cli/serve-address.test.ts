import { expect, test } from "vitest";
import { addressRemark } from "./serve.js";

test("explains that a wildcard address cannot be opened", () => {
  expect(addressRemark("0.0.0.0")).toContain("instead of 0.0.0.0");
  expect(addressRemark("::")).toContain("instead of ::");
  expect(addressRemark("127.0.0.1")).toBeNull();
  expect(addressRemark("192.168.0.7")).toBeNull();
});
