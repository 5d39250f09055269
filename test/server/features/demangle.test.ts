/** The request behind hovers over names: the words, and the life in torch's releases where there is one. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { loadSymbolHistory } from "../../../src/engine/catalogue/index.ts";
import type { DemangledName } from "../../../src/protocol/index.ts";
import { demangled } from "../../../src/server/features/demangle.ts";
import { LspClient } from "../support/client.ts";

let client: LspClient;

before(async () => {
  client = await LspClient.start({ folders: [] });
});

after(() => client.stop());

const ask = (name: unknown): Promise<DemangledName | null> => client.connection.sendRequest("abiding/demangle", { name });

test("without a folder, a name is said in words, with the releases that export it", async () => {
  const newest = loadSymbolHistory().releases.at(-1) ?? "";
  assert.notEqual(newest, "");
  assert.deepEqual(await ask("_ZN3c104cuda9SetDeviceEa"), {
    demangled: "c10::cuda::SetDevice(signed char)",
    life: "Exported by torch 2.3.0 to 2.7.1, libc10_cuda.so. Then followed c10::cuda::SetDevice(signed char, bool).",
  });
});

test("a name that torch never had says so; one of others has no life", async () => {
  assert.deepEqual(await ask("_ZN3c104warnEi"), { demangled: "c10::warn(int)", life: "No recorded release of torch exports it." });
  assert.deepEqual(await ask("_ZN7rowwise3sumEi"), { demangled: "rowwise::sum(int)" });
});

test("what loaders and systems add is not of the name", () => {
  assert.equal(demangled("__ZN3c104warnEi")?.demangled, "c10::warn(int)");
  assert.equal(demangled("__imp__ZN3c104warnEi")?.demangled, "c10::warn(int)");
  assert.equal(demangled("_ZNKSs4sizeEv@@GLIBCXX_3.4")?.demangled, "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::size() const");
  assert.deepEqual(demangled("_ZN3c104cuda9SetDeviceEa.cold"), { demangled: "c10::cuda::SetDevice(signed char) [clone .cold]", life: demangled("_ZN3c104cuda9SetDeviceEa")?.life });
});

test("what is no mangled name has no answer", async () => {
  for (const name of ["_ZN3c104war", "_Z", "hello", "", "_ZN", `_Z${"N".repeat(5000)}`]) assert.equal(demangled(name), null, name);
  assert.equal(await ask("_ZN3c104war"), null);
  assert.equal(await ask(7), null);
});
