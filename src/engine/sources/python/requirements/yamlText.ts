import { isAlias, isMap, isScalar, isSeq, parseDocument, visit } from "yaml";
import type { Alias, Document, Node } from "yaml";
import type { Collector, SourceText } from "./collector.ts";

/** Text of a YAML scalar with the place of its content. */
export interface YamlText {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** Deeper documents would exhaust the parser's stack. */
const deepest = 200;
/** Aliases that lead to aliases further than this are a mistake or an attack. */
const longestAliasChain = 20;

/** A YAML document over a source text; broken parts are reported and the rest is kept. */
export class YamlFile {
  readonly source: SourceText;
  readonly #document: Document.Parsed | undefined;
  #anchors: ReadonlyMap<string, readonly Node[]> | undefined;

  /** `text` is what the parser sees: the source, or a version of the same length without template tags. */
  constructor(source: SourceText, collector: Collector, text = source.text) {
    this.source = source;
    if (tooDeep(text)) {
      collector.gaps.push({ kind: "file", path: source.path, message: `${source.path} nests more than ${deepest} deep and was not read.` });
      return;
    }
    try {
      this.#document = parseDocument(text, { prettyErrors: false, uniqueKeys: false, logLevel: "silent", merge: false });
    } catch (error) {
      collector.gaps.push({ kind: "file", path: source.path, message: `${source.path} could not be read as YAML: ${error instanceof Error ? error.message : String(error)}.` });
      return;
    }
    const [first] = this.#document.errors;
    if (first) {
      const [start, end] = first.pos;
      collector.gaps.push({ kind: "file", path: source.path, location: source.location(start, end), message: `${source.path} is not valid YAML here; what could be read of it was read: ${first.message.split("\n")[0] ?? ""}.` });
    }
  }

  get root(): unknown {
    return this.#document?.contents ?? undefined;
  }

  /** Follows aliases. */
  resolve(node: unknown): unknown {
    let at = node;
    for (let i = 0; i < longestAliasChain && isAlias(at); i += 1) at = this.#anchored(at);
    return isAlias(at) ? undefined : at;
  }

  /** The node that an alias names: the last of that name before it. */
  #anchored(alias: Alias): unknown {
    this.#anchors ??= anchorsOf(this.#document);
    const start = alias.range?.[0] ?? 0;
    return this.#anchors.get(alias.source)?.findLast((node) => (node.range?.[0] ?? 0) < start);
  }

  get(node: unknown, key: string): unknown {
    const map = this.resolve(node);
    if (!isMap(map)) return undefined;
    const pair = map.items.find((one) => isScalar(one.key) && String(one.key.value) === key);
    return pair?.value ?? undefined;
  }

  entries(node: unknown): readonly (readonly [string, unknown])[] {
    const map = this.resolve(node);
    if (!isMap(map)) return [];
    return map.items.flatMap((one) => (isScalar(one.key) ? [[String(one.key.value), one.value ?? undefined] as const] : []));
  }

  items(node: unknown): readonly unknown[] {
    const list = this.resolve(node);
    return isSeq(list) ? list.items : [];
  }

  /** The text of a scalar, numbers as written, with the offsets of its content in the source. */
  text(node: unknown): YamlText | undefined {
    const scalar = this.resolve(node);
    if (!isScalar(scalar) || !scalar.range || scalar.value === null) return undefined;
    let [start, end] = scalar.range;
    if (scalar.type === "BLOCK_FOLDED" || scalar.type === "BLOCK_LITERAL") return { value: typeof scalar.value === "string" ? scalar.value : "", start, end };
    if (scalar.type === "QUOTE_DOUBLE" || scalar.type === "QUOTE_SINGLE") {
      start += 1;
      end -= 1;
    }
    const raw = this.source.text.slice(start, end);
    // Escapes aside, the source is the value as written: "2.0" stays "2.0", and template tags are kept.
    return { value: typeof scalar.value === "string" && raw.includes("\\") ? scalar.value : raw, start, end };
  }

  span(node: unknown): { readonly start: number; readonly end: number } | undefined {
    const range = (node as Partial<Node> | undefined)?.range;
    return range ? { start: range[0], end: range[1] } : undefined;
  }
}

/** Gathered once: looking for the anchor of each alias in the whole document takes quadratic time. */
function anchorsOf(document: Document.Parsed | undefined): ReadonlyMap<string, readonly Node[]> {
  const anchors = new Map<string, Node[]>();
  if (!document) return anchors;
  visit(document, {
    Node(_key, node) {
      if (isAlias(node) || node.anchor === undefined) return;
      anchors.set(node.anchor, [...(anchors.get(node.anchor) ?? []), node]);
    },
  });
  return anchors;
}

function tooDeep(text: string): boolean {
  let flow = 0;
  let most = 0;
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i];
    if (character === "[" || character === "{") most = Math.max(most, (flow += 1));
    else if (character === "]" || character === "}") flow = Math.max(0, flow - 1);
  }
  if (most > deepest) return true;
  return /^(?:[-?] ){200}/m.test(text) || /^ {400}/m.test(text);
}
