import { describe, expect, it } from "vitest";
import { splitSpecFiles } from "./dataset-spec.js";
import { getFormat, hasKnownFormat } from "./formats.js";

describe("the name of an archive", () => {
  it("is a local file, which only a dataset published as an archive can read", () => {
    expect(hasKnownFormat("qmsum.zip")).toBe(true);
    expect(hasKnownFormat("zip")).toBe(false);
    expect(splitSpecFiles("qmsum=qmsum.zip")).toEqual({ head: "qmsum", files: ["qmsum.zip"] });
    expect(() => getFormat("data.ZIP")).toThrow('"data.ZIP" is an archive. Unpack it');
  });
});
