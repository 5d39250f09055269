import type { RecordedSymbols } from "../../catalogue/index.ts";
import type { WheelDisagreement } from "../../model/index.ts";
import { factsOf } from "../../model/index.ts";
import { providerOf, stemOf } from "./provided.ts";
import type { TorchNeeds } from "./torchNeeds.ts";
import type { WheelContent, WheelLibrary } from "./types.ts";

/** What the local label of a version, or the end of a package's name, says of the build. */
export interface Labels {
  /** "cu128": CUDA 12. */
  readonly cuda?: { readonly text: string; readonly major: number };
  /** "cpu", "rocm6.4": built without CUDA. */
  readonly withoutCuda?: string;
  /** "cxx11abiTRUE". */
  readonly stringAbi?: { readonly text: string; readonly value: 0 | 1 };
  /** "torch2.8". */
  readonly torch?: { readonly text: string; readonly release: string };
}

/**
 * Reads "cu12torch2.8cxx11abiTRUE" (flash-attention, setup.py get_wheel_url), "pt213cu130" (PyTorch Geometric),
 * "cu128", "cpu" (torch's own index), and "-cu12" at the end of a distribution's name (NVIDIA, CuPy).
 */
export function readLabels(distribution: string, version: string): Labels {
  // As written: people know these labels by their capital letters.
  const local = (version.split("+")[1] ?? "").replace(/[-_]/g, ".");
  const cuda = /(?:^|[^a-z])cu(\d{2,3})(?!\d)/i.exec(local) ?? /[-_](?:cu|cuda)(1[1-9])x?$/i.exec(distribution);
  const without = /(?:^|[^a-z])(cpu|rocm[\d.]*)(?![a-z])/i.exec(local);
  const abi = /cxx11abi(true|false)/i.exec(local) ?? /(?:^|\.)cxx(11|98)(?:\.|$)/i.exec(local);
  const torch = /(?:torch|(?:^|[^a-z])pt)(\d)\.(\d{1,2})/i.exec(local) ?? /(?:torch|(?:^|[^a-z])pt)(\d)(\d{1,2})(?!\d|\.\d)/i.exec(local);
  return {
    ...(cuda === null ? {} : { cuda: { text: cuda[0].replace(/^[^a-z]/i, ""), major: Number(cuda[1]?.slice(0, 2)) } }),
    ...(without === null ? {} : { withoutCuda: without[1] ?? "" }),
    ...(abi === null ? {} : { stringAbi: { text: abi[0].replaceAll(".", ""), value: abi[1]?.toLowerCase() === "true" || abi[1] === "11" ? 1 : 0 } }),
    ...(torch === null ? {} : { torch: { text: torch[0].replace(/^[^a-z]/i, ""), release: `${torch[1]}.${torch[2]}` } }),
  };
}

/** What the name says of CUDA, the std::string ABI and torch, against what the libraries show. */
export function judgeLabels(content: WheelContent, needs: TorchNeeds | undefined, history: RecordedSymbols): readonly WheelDisagreement[] {
  const labels = readLabels(content.name.distribution, content.name.version);
  return [...cudaDisagreement(content, labels), ...stringAbiDisagreement(content, labels), ...(needs === undefined || labels.torch === undefined ? [] : torchDisagreement(content, labels.torch, needs, history))];
}

function say({ where }: WheelContent, member: string, message: string, what: string): WheelDisagreement {
  return { kind: "name", weight: "error", member, message, evidence: [{ kind: "file", path: `${where}/${member}`, what }] };
}

function cudaDisagreement(content: WheelContent, { cuda, withoutCuda }: Labels): readonly WheelDisagreement[] {
  const users = content.libraries.flatMap((one) => cudaOf(one) ?? []);
  const [user] = users;
  if (user === undefined) {
    return [];
  }
  if (withoutCuda !== undefined && cuda === undefined) {
    return [say(content, user.member, `The version says "${withoutCuda}", a build without CUDA. ${user.member} ${user.words}.`, user.words)];
  }
  const told = users.filter((one) => one.major !== undefined);
  const [other] = told;
  // Libraries for several CUDAs lie side by side in some wheels, and one of them is chosen at run time.
  if (cuda === undefined || other === undefined || told.some((one) => one.major === cuda.major)) {
    return [];
  }
  return [say(content, other.member, `The name says "${cuda.text}", CUDA ${cuda.major}. ${other.member} ${other.words}, of CUDA ${other.major}.`, other.words)];
}

interface CudaUse {
  readonly member: string;
  readonly major: number | undefined;
  /** "needs libcudart.so.13". */
  readonly words: string;
}

function cudaOf({ member, body }: WheelLibrary): CudaUse | undefined {
  const { cudaRuntime, cuda, needed } = body.profile;
  if (cudaRuntime !== undefined && cudaRuntime.linked !== "driver-only") {
    return { member, major: cudaRuntime.major, words: cudaRuntime.linked === "static" ? "holds the CUDA runtime" : `needs ${cudaRuntime.library}` };
  }
  const library = needed.find((name) => providerOf(name) === "cuda" || /_cuda$/.test(stemOf(name)) && providerOf(name) === "torch");
  if (library !== undefined) {
    return { member, major: undefined, words: `needs ${library}` };
  }
  return cuda === undefined ? undefined : { member, major: cuda.toolkit === undefined ? undefined : Number.parseInt(cuda.toolkit, 10), words: "holds CUDA device code" };
}

function stringAbiDisagreement(content: WheelContent, { stringAbi }: Labels): readonly WheelDisagreement[] {
  for (const { member, body } of stringAbi === undefined ? [] : content.libraries) {
    const fact = factsOf(body.facts, "libstdcxx-abi").find((one) => one.certainty === "observed" && one.value !== stringAbi?.value);
    const [evidence] = fact?.evidence ?? [];
    if (fact !== undefined && evidence?.kind === "file") {
      return [say(content, member, `The version says "${stringAbi?.text}": std::string as _GLIBCXX_USE_CXX11_ABI=${stringAbi?.value} has it. ${member} ${evidence.what}, which is that of _GLIBCXX_USE_CXX11_ABI=${fact.value}.`, evidence.what)];
    }
  }
  return [];
}

function torchDisagreement(content: WheelContent, torch: NonNullable<Labels["torch"]>, needs: TorchNeeds, history: RecordedSymbols): readonly WheelDisagreement[] {
  const releases = history.releases.filter((release) => release.startsWith(`${torch.release}.`));
  const last = releases.at(-1);
  const need = last === undefined || releases.some((release) => needs.lackingIn(release) === undefined) ? undefined : needs.lackingIn(last);
  const isRecordedFor = content.libraries.every((one) => one.body.profile.machine === "x86_64");
  return need === undefined || last === undefined || !isRecordedFor ? [] : [say(content, need.member, `The version says "${torch.text}". ${need.member} needs ${need.symbol}, which torch ${last} does not export.`, `needs ${need.symbol}`)];
}
