import { expect, test } from "vitest";
import { describeWildcardHost } from "./serve.js";

test("explains that a wildcard address cannot be opened", () => {
  expect(describeWildcardHost("0.0.0.0")).toContain("instead of 0.0.0.0");
  expect(describeWildcardHost("::")).toContain("instead of ::");
  expect(describeWildcardHost("127.0.0.1")).toBeNull();
  expect(describeWildcardHost("192.168.0.7")).toBeNull();
});
