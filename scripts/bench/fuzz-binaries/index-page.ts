/** Damaged pages of package indexes, HTML and JSON, and the choice of a wheel among what they list. */
import { chooseWheels, parseIndexPage } from "../../../src/engine/binaries/remote/index.ts";
import { parseRequirementText } from "../../../src/engine/model/index.ts";
import type { Original, Subject } from "./subject.ts";

const page = "https://example.org/simple/torch/";
const sum = "0123456789abcdef".repeat(4);
const names = ["2.8.0+cu128-cp311-cp311-manylinux_2_28_x86_64", "2.8.0-cp312-cp312-win_amd64", "2.9.0.dev20250801+cpu-cp313-cp313t-manylinux_2_28_aarch64", "2.7.1-cp39-abi3-macosx_11_0_arm64"].map((rest) => `torch-${rest}.whl`);
const html = `<!DOCTYPE html>\n<html><head><base href="../f/"></head><body><!-- all of it -->\n${names.map((name) => `<a href="${encodeURIComponent(name)}#sha256=${sum}" data-requires-python="&gt;=3.9,&lt;3.15" data-yanked='no &#x26; never' data-core-metadata=sha256=${sum}>${name}</a><br/>\n`).join("")}</body></html>`;
const json = JSON.stringify({ meta: { "api-version": "1.3" }, name: "torch", files: names.map((filename) => ({ filename, url: `https://files.example.org/${filename}`, hashes: { sha256: sum }, "requires-python": ">=3.9", size: 1234, yanked: false, "core-metadata": { sha256: sum } })) });
const requirement = parseRequirementText("torch>=2.7");

export const indexPage: Subject = {
  name: "index-page",
  originals() {
    return Promise.resolve([["html", html], ["json", json], ["long", html.repeat(50)]].map(([name = "", text = ""]): Original => ({ name, bytes: new TextEncoder().encode(text), structure: [] })));
  },
  read(bytes, original) {
    const parsed = parseIndexPage(Buffer.from(bytes).toString("utf8"), original.name === "json" ? "application/vnd.pypi.simple.v1+json" : "text/html", page);
    const strange = parsed.files.find((file) => !/^https?:\/\//.test(file.url) || file.name === "" || file.name.includes("\0"));
    if (strange !== undefined) throw new Error(`A file that cannot be fetched: ${JSON.stringify(strange)}`);
    if (requirement !== undefined) chooseWheels(parsed, requirement, { python: "3.11", platform: "linux-x86_64" });
    return Promise.resolve();
  },
};
