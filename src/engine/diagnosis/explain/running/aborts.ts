/** Processes that end without an exception of Python (aten/src/ATen/core/dispatch/Dispatcher.cpp; libstdc++, glibc). */
import { clueOf, textAt, verdict } from "../reading.ts";
import type { Said } from "../reading.ts";
import type { Explanation, Knowledge } from "../types.ts";
import { recogniserOf } from "./sayings.ts";
import type { Saying } from "./sayings.ts";

/** Copies of torch's libraries that the text names: auditwheel puts a hash into the names, Debian a version. */
const copies = /(?:[\w.+~:\\/-]*[\\/])?lib(?:c10|torch(?:_cpu|_cuda|_python)?)(?:[-.][0-9a-f]{8}\.so|\.so\.\d[\d.]*)/;

/** How many lines behind an abort its stack may have. */
const stack = 80;

/** A second libtorch that the lines behind show, or the file that the text named. */
function secondLibtorch(said: Said, knowledge: Knowledge): { readonly words: string; readonly file?: string } | undefined {
  for (let next = said.at; next < Math.min(said.log.lines.length, said.at + stack); next += 1) {
    const copy = copies.exec(textAt(said.log, next))?.[0];
    if (copy !== undefined) return { words: `The text names ${copy}: a copy of torch's libraries that is not the installed torch's own.` };
  }
  for (const file of new Set(knowledge.clues.flatMap((one) => one.subject.file ?? []))) {
    const trait = knowledge.fitOf(file)?.traits.find((one) => one.trait === "two-libtorch" && one.agrees === false);
    if (trait !== undefined) return { words: trait.because, file };
  }
  return undefined;
}

const oneLibtorch = [
  "Build the extension against the torch that runs and do not bundle torch's libraries into its wheel (auditwheel repair --exclude libtorch.so --exclude libtorch_cpu.so --exclude libc10.so ...), nor link libtorch statically.",
  "Remove the second one: a libtorch of the system, of another Python, or in a package's own .libs folder.",
];

const whichFiles = 'Which files: grep -E "libtorch|libc10" /proc/PID/maps before the import, or abiding fits FILE --against ENV';

/** Two copies of one thing register it with one dispatcher. */
const fallbackTwice: Saying = {
  pattern: /Tried to register multiple backend fallbacks for the same dispatch key (?<key>\w+)/,
  read(said) {
    return clueOf(said, (knowledge) => {
      const second = secondLibtorch(said, knowledge);
      return verdict("duplicate-libtorch", second === undefined ? "likely" : "certain", "Two copies of libtorch are in one process, and both registered their operators.", [
        `torch registers the fallback for ${said.match.groups?.["key"] ?? "a key"} when libtorch_cpu is loaded; that it happens twice means that a second libtorch_cpu was loaded.`,
        second?.words,
        "The process ends with SIGABRT: no exception of Python can be caught.",
      ], { fixes: oneLibtorch, needs: second === undefined ? [whichFiles] : [] });
    });
  },
};

/** std::system_error alone: torch is not named, so only with evidence. */
const systemError: Saying = {
  pattern: /terminate called after throwing an instance of 'std::system_error'/,
  read(said) {
    const what = textAt(said.log, said.at + 1);
    if (!/what\(\): {1,2}Invalid argument/.test(what)) return undefined;
    // Nothing in these two lines tells of torch.
    if (!said.log.lines.slice(Math.max(0, said.at - stack), said.at + stack).some((line) => /torch|c10/.test(line.text.slice(0, 4000)))) return undefined;
    return clueOf(said, (knowledge) => {
      const second = secondLibtorch({ ...said, at: Math.max(0, said.at - stack) }, knowledge) ?? secondLibtorch(said, knowledge);
      return second === undefined
        ? verdict("duplicate-libtorch", "possible", "A mutex was used that is none: one cause of this is a second libtorch in the process.", [
            "\"Invalid argument\" of std::system_error comes from a lock on something that is no mutex. The text does not show whose; with torch it is how two libtorch in one process end, and other faults of memory or threads print the same.",
          ], { needs: ["Which libraries are loaded: grep -E \"libtorch|libc10\" /proc/PID/maps, or abiding fits FILE --against ENV for the extension that is imported", "The stack: gdb -ex run -ex bt --args python ..."] })
        : verdict("duplicate-libtorch", "certain", "Two copies of libtorch are in one process, and one uses a mutex of the other.", [second.words, "The static initialisers of the second libtorch find the dispatcher of the first, whose layout is another, and lock what is no mutex."], { fixes: oneLibtorch });
    }, { last: said.at + 1, words: `${said.text} ${what.trim()}` });
  },
};

const namespaceTwice: Saying = {
  pattern: /Only a single TORCH_LIBRARY can be used to register the namespace (?<space>\w+);/,
  read(said) {
    const space = said.match.groups?.["space"] ?? "";
    const [, first, second] = /Previous registration of TORCH_LIBRARY was registered at (.{1,300}?); latest registration was registered at (.{1,300}?)(?: \(|$|\\n|\n)/.exec(said.text) ?? [];
    return clueOf(said, (knowledge) => twice("TORCH_LIBRARY", `the namespace ${space}`, first, second, said, knowledge), { words: said.match[0].replace(/;$/, ""), subject: { symbol: `${space}::` } });
  },
};

const operatorTwice: Saying = {
  pattern: /Tried to register an operator \((?<schema>(?<name>\w+::\w+)[^\n]{0,400}?)\) with the same name and overload name multiple times|Tried to register multiple operators with the same name and the same overload name(?: but different schemas)?: (?<other>\w+::\w+)/,
  read(said) {
    const name = said.match.groups?.["name"] ?? said.match.groups?.["other"] ?? "";
    const [, second, first] = /Duplicate registration: (?:registered at )?(.{1,300}?)\. Original registration: (?:registered at )?(.{1,300}?)(?: \(|$|\\n|\n)/.exec(said.text) ?? [];
    return clueOf(said, (knowledge) => twice("an operator", `the operator ${name}`, first, second, said, knowledge), { words: said.match[0], subject: { symbol: name } });
  },
};

function twice(how: string, what: string, first: string | undefined, second: string | undefined, said: Said, knowledge: Knowledge): Explanation {
  const isSame = first !== undefined && first === second;
  const libtorch = /^the operator aten::|^the namespace (?:aten|prim|quantized)$/.test(what) ? secondLibtorch(said, knowledge) ?? { words: "It is one of torch's own, so torch's own library was loaded twice." } : undefined;
  if (libtorch !== undefined) return verdict("duplicate-libtorch", "likely", "Two copies of libtorch are in one process, and both registered their operators.", [libtorch.words], { fixes: oneLibtorch, needs: [whichFiles] });
  const isSource = first !== undefined && second !== undefined && !isSame;
  return verdict("namespace-registered-twice", "certain", `T${what.slice(1)} was registered twice in one process.`, [
    isSame
      ? `Both registrations come from one place, ${first}: two copies of one library were loaded, such as an installed one and one built in place, a JIT build beside a wheel, or a stale file under its old name.`
      : isSource ? `One stands at ${first}, the other at ${second}: two libraries (or two files of one) register the same.` : `${how === "TORCH_LIBRARY" ? "A namespace may have one TORCH_LIBRARY block" : "An operator may be defined once"}; two libraries, or two copies of one, define it.`,
    "It is no ABI conflict: both loaded, and both meet the same torch.",
  ], {
    fixes: isSource && how === "TORCH_LIBRARY"
      ? [`Use TORCH_LIBRARY_FRAGMENT for the second block of the namespace, or TORCH_LIBRARY_IMPL where it only brings implementations.`, "Or give one of the two libraries another namespace."]
      : ["Find both files and load only one: uninstall the old build, clear the JIT cache, and do not call torch.ops.load_library on a library that an import loads too.", ...(isSame ? [] : ["Or define it in one place alone."])],
    needs: isSource ? [] : ["Which files are loaded: print(torch.ops.loaded_libraries), or /proc/PID/maps"],
  });
}

/** Layouts that drifted, and other faults that look like it (pytorch/pytorch c10/core/StorageImpl.cpp, TensorImpl.h). */
const noStorage: Saying = {
  pattern: /Cannot access data pointer of (?:Tensor|Storage) that (?:doesn't have storage|is invalid)/,
  read: (said) => clueOf(said, (knowledge) => layout("A tensor without data was read.", [
    "Fake, functional and meta tensors (torch.compile, torch.export, FakeTensorMode) have no data: a kernel that reads their data_ptr must be an operator with a fake implementation. That is the usual cause.",
    "An extension that was built for another torch reads a tensor by its old layout and can end here too.",
  ], knowledge), { words: said.match[0] }),
};

/** Silent unless a file that the text names was built for another torch. */
const crash: Saying = {
  pattern: /(?:^|\s)(?:double free or corruption|free\(\): invalid (?:pointer|size|next size)|munmap_chunk\(\): invalid pointer|malloc\(\): (?:corrupted|invalid|unaligned)|corrupted (?:size vs\. prev_size|double-linked list)|Segmentation fault|Fatal Python error: Segmentation fault)/,
  read(said) {
    // A crash alone tells nothing: it counts where the log names a library of torch beside the installed one.
    const from = Math.max(0, said.at - stack);
    const around = said.log.lines.slice(from, said.at + stack);
    if (!around.some((line) => copies.test(line.text.slice(0, 4000)))) return undefined;
    return clueOf(said, (knowledge) => {
      const second = secondLibtorch({ ...said, at: from }, knowledge) ?? secondLibtorch(said, knowledge);
      return verdict("duplicate-libtorch", "possible", "The process crashed, and the text names a second copy of torch's libraries.", [
        second?.words,
        "Two libtorch in one process corrupt each other's memory; a crash has many other causes, too.",
      ], { fixes: oneLibtorch, needs: ["The stack: gdb -ex run -ex bt --args python ...", "abiding fits FILE --against ENV for the extension that is imported"] });
    }, { weight: "consequence", words: said.match[0].trim() });
  },
};

function layout(headline: string, because: readonly string[], knowledge: Knowledge): Explanation {
  const files = new Set(knowledge.clues.flatMap((one) => one.subject.file ?? []));
  for (const file of files) {
    const fit = knowledge.fitOf(file);
    const trait = fit?.traits.find((one) => (one.trait === "layout" || one.trait === "torch-version" || one.trait === "libstdcxx-abi") && one.agrees === false);
    if (fit !== undefined && trait !== undefined) {
      return verdict("layout-skew", "likely", `${headline} ${file.split(/[\\/]/).at(-1) ?? file} was built for another torch.`, [...because, trait.because], { fixes: ["Rebuild it against the torch that runs."], fit, needs: ["Whether it goes away once the file is rebuilt."] });
    }
  }
  return verdict("layout-skew", "possible", headline, because, {
    fixes: ["Under torch.compile or export: register a fake implementation of the operator (torch.library.register_fake), and call the kernel only through it.", "Otherwise rebuild the extension against the torch that runs."],
    needs: ["Which torch the extension was built with: abiding inspect FILE; and whether it is called under torch.compile."],
  });
}

export const abortsRecogniser = recogniserOf(
  /multiple backend fallbacks|instance of 'std::system_error'|single TORCH_LIBRARY|Tried to register (?:an operator|multiple operators)|Cannot access data pointer|double free|free\(\): |munmap_chunk|malloc\(\): |corrupted (?:size|double)|Segmentation fault/,
  [fallbackTwice, systemError, namespaceTwice, operatorTwice, noStorage, crash],
);
