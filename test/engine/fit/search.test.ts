import assert from "node:assert/strict";
import { test } from "node:test";
import { searchLibrary } from "../../../src/engine/fit/search.ts";
import type { Requester } from "../../../src/engine/fit/search.ts";
import type { LibraryImage } from "../../../src/engine/binaries/library.ts";
import { library, machine } from "./fakes.ts";
import type { Sketch } from "./fakes.ts";

const everywhere = ["/rpath", "/loader", "/main", "/variable", "/runpath", "/cached", "/usr/lib"];
const settings = { cache: { "libx.so": "/cached/libx.so" }, libraryPath: ["/variable"], folders: ["/usr/lib"] };

/** Where libx.so is found for a requester, when only the folders of `there` have it. */
function found(own: Sketch, there: readonly string[], rest: { readonly loader?: Sketch; readonly main?: Sketch; readonly file?: Sketch } = {}): string | undefined {
  const loader: Requester | undefined = rest.loader === undefined ? undefined : { image: library("/app/loader.so", rest.loader), loader: undefined };
  const places = { machine: machine(there.map((folder) => library(`${folder}/libx.so`, rest.file)), settings), companions: new Map<string, LibraryImage>(), main: rest.main === undefined ? undefined : library("/bin/main", rest.main) };
  const answer = searchLibrary("libx.so", { image: library("/app/ops.so", own), loader }, places, []);
  return answer === undefined ? undefined : "refusal" in answer ? answer.refusal.loaderText : `${answer.image.path} (${answer.how})`;
}

test("RPATH comes first: the requester's, then that of what loaded it, then the executable's", () => {
  const rest = { loader: { rpath: ["/loader"] }, main: { rpath: ["/main"] } };
  assert.equal(found({ rpath: ["/rpath"] }, everywhere, rest), "/rpath/libx.so (RPATH of ops.so)");
  assert.equal(found({}, everywhere, rest), "/loader/libx.so (RPATH of loader.so)");
  assert.equal(found({}, ["/main", "/variable"], rest), "/main/libx.so (RPATH of main)");
});

test("a RUNPATH switches every RPATH off and comes after LD_LIBRARY_PATH", () => {
  const rest = { loader: { rpath: ["/loader"] }, main: { rpath: ["/main"] } };
  assert.equal(found({ rpath: ["/rpath"], runpath: ["/runpath"] }, everywhere, rest), "/variable/libx.so (LD_LIBRARY_PATH)");
  assert.equal(found({ rpath: ["/rpath"], runpath: ["/runpath"] }, ["/rpath", "/loader", "/main", "/runpath", "/cached"], rest), "/runpath/libx.so (RUNPATH of ops.so)");
});

test("the RPATH of a loader that has a RUNPATH does not count, and a RUNPATH is not inherited", () => {
  assert.equal(found({}, ["/loader", "/usr/lib"], { loader: { rpath: ["/loader"], runpath: ["/other"] } }), "/usr/lib/libx.so (the loader's default folders)");
  assert.equal(found({}, ["/loader", "/usr/lib"], { loader: { runpath: ["/loader"] } }), "/usr/lib/libx.so (the loader's default folders)");
});

test("the cache comes before the default folders, and neither serves a file that refuses them", () => {
  assert.equal(found({}, ["/cached", "/usr/lib"]), "/cached/libx.so (ld.so.cache)");
  assert.equal(found({}, ["/usr/lib"]), "/usr/lib/libx.so (the loader's default folders)");
  assert.equal(found({ noDefaultLib: true }, ["/cached", "/usr/lib"]), undefined);
});

test("$ORIGIN is the folder of the file that has the entry", () => {
  assert.equal(found({ runpath: ["$ORIGIN/../lib"] }, ["/lib"]), "/lib/libx.so (RUNPATH of ops.so)");
  assert.equal(found({ rpath: ["${ORIGIN}:/rpath"] }, ["/app"]), "/app/libx.so (RPATH of ops.so)");
  assert.equal(found({ rpath: ["/x/$LIB"] }, ["/x/lib64"]), "/x/lib64/libx.so (RPATH of ops.so)");
  assert.equal(found({ rpath: ["."] }, ["/app"]), undefined);
});

test("a file of another machine is passed over", () => {
  assert.equal(found({ rpath: ["/rpath"] }, ["/rpath"], { file: { machine: 183 } }), undefined);
});

test("variants for newer processors are taken before the plain file", () => {
  assert.equal(found({ runpath: ["/runpath"] }, ["/runpath/glibc-hwcaps/x86-64-v2", "/runpath"]), "/runpath/glibc-hwcaps/x86-64-v2/libx.so (RUNPATH of ops.so)");
});

test("libraries that come with the file are found where its RUNPATH leads", () => {
  const companion = library("/wheel/pkg.libs/libx.so");
  const places = { machine: undefined, companions: new Map([[companion.path, companion]]), main: undefined };
  const searched: string[] = [];
  const requester = (runpath: readonly string[]): Requester => ({ image: library("/wheel/pkg/ops.so", { runpath }), loader: undefined });
  assert.deepEqual(searchLibrary("libx.so", requester(["$ORIGIN/../pkg.libs"]), places, searched), { image: companion, how: "RUNPATH of ops.so" });
  assert.deepEqual(searched, ["/wheel/pkg.libs"]);
  assert.equal(searchLibrary("libx.so", requester([]), places, []), undefined);
});

test("a file of that name that is no library ends the search", () => {
  const files = machine([library("/usr/lib/libx.so")]);
  const refusal = { because: "It is text.", loaderText: "/variable/libx.so: invalid ELF header" };
  const damaged = { ...files, refusal: (path: string) => (path === "/variable/libx.so" ? refusal : undefined), libraryPath: ["/variable"] };
  assert.deepEqual(searchLibrary("libx.so", { image: library("/app/ops.so"), loader: undefined }, { machine: damaged, companions: new Map(), main: undefined }, []), { refusal });
});
