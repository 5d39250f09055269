import { createHash } from "node:crypto";
import type { PublishedPage } from "../../../protocol/panel.ts";
import { plural } from "../../../views/words.ts";
import { channelWords } from "./markdown.ts";
import type { PublishedCell, PublishedTable } from "./table.ts";
import type { PublishedData } from "./types.ts";

/** The panel's own bundle. */
export interface PageBundle {
  readonly script: string;
  readonly style: string;
}

/** What is read before the bundle has started, and where scripts may not run. */
const plainStyle = `
#plain { max-width: 72rem; margin: 0 auto; padding: 1rem; }
#plain:has(~ #panel) { display: none; }
#plain h1, #plain h2 { margin: 1rem 0 .5rem; }
#plain p { margin: .5rem 0; }
#plain table { border-collapse: collapse; }
#plain th, #plain td { padding: .25rem .6rem; text-align: start; border: 1px solid var(--vscode-panel-border); }
#plain .scroll { overflow-x: auto; }
#plain td.good { color: var(--vscode-charts-green); }
#plain td.bad { color: var(--vscode-charts-red); }
#plain td.predicted { font-style: italic; }
`;

/**
 * One file with everything in it: the data, the panel's bundle, and a plain table for those without scripts. Its policy lets
 * nothing run but that bundle, and nothing be loaded at all.
 */
export function html(data: PublishedData, bundle: PageBundle | undefined): string {
  const style = inlineStyle(`${bundle?.style ?? fallbackColours}${plainStyle}`);
  const script = bundle === undefined ? undefined : inlineScript(bundle.script);
  const policy = [
    "default-src 'none'", `style-src ${hashOf(style)}`, ...(script === undefined ? [] : [`script-src ${hashOf(script)}`]), "img-src data:", "base-uri 'none'", "form-action 'none'",
  ].join("; ");
  const title = `torch and ${data.project.name}: what works together`;
  return `<!DOCTYPE html>
<html lang="en" data-published>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Abiding ${escaped(data.by)}">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<main id="plain">
${plain(data, title)}
</main>
<script type="application/json" id="abiding-data">${json(pageOf(data))}</script>
${script === undefined ? "" : `<script>${script}</script>\n`}</body>
</html>
`;
}

function pageOf({ project, published, by, combinations, bodies, benchmarks }: PublishedData): PublishedPage {
  return { schema: 1, project, published, by, combinations, ...(bodies === undefined ? {} : { bodies }), ...(benchmarks === undefined ? {} : { benchmarks }) };
}

function plain({ project, combinations: { latest }, table, published }: PublishedData, title: string): string {
  const lines = latest.map((one) => `<h2>${channelWords[one.channel]}</h2>\n<pre><code>${escaped(one.line)}</code></pre>\n<p>${escaped(`${one.because}.`)}</p>`);
  const none = latest.length === 0 ? [`<p>No torch is recorded yet with which the tests of ${escaped(project.name)} passed.</p>`] : [];
  return [`<h1>${escaped(title)}</h1>`, ...lines, ...none, ...tableOf(table), `<p>Recorded by Abiding; as of <time datetime="${published}">${published.slice(0, 10)}</time>.</p>`].join("\n");
}

function tableOf({ axis, columns, rows, leftOut }: PublishedTable): readonly string[] {
  if (rows.length === 0) return [];
  const left = [...(leftOut.rows === 0 ? [] : [plural(leftOut.rows, "older torch", "older torches")]), ...(leftOut.columns === 0 ? [] : [plural(leftOut.columns, `further ${axis}`)])];
  return [
    "<h2>What is known</h2>",
    `<div class="scroll"><table>\n<caption class="hidden">Versions of torch, and what became of each ${axis} of the project with it</caption>`,
    `<thead><tr><th scope="col">torch</th>${columns.map((one) => `<th scope="col">${escaped(one)}</th>`).join("")}</tr></thead>`,
    `<tbody>\n${rows.map((row) => `<tr><th scope="row">${escaped(row.torch)}${row.yanked === true ? " (withdrawn)" : ""}</th>${row.cells.map(cellOf).join("")}</tr>`).join("\n")}\n</tbody>`,
    "</table></div>",
    ...(rows.some((row) => row.cells.some((cell) => cell?.isPrediction === true)) ? ["<p>What stands in italics was predicted from symbols and was not tried.</p>"] : []),
    ...(left.length === 0 ? [] : [`<p>Not shown here: ${left.join(" and ")}.</p>`]),
  ];
}

const classes: Readonly<Partial<Record<PublishedCell["outcome"], string>>> = { passed: "good", failed: "bad", "predicted-no-conflict": "predicted", "predicted-conflict": "predicted", "predicted-mixed": "predicted", "predicted-unknown": "predicted" };

function cellOf(cell: PublishedCell | null): string {
  if (cell === null) return "<td></td>";
  const name = classes[cell.outcome];
  return `<td${name === undefined ? "" : ` class="${name}"`}>${escaped(cell.words)}${cell.why === undefined ? "" : ` (${escaped(cell.why)})`}</td>`;
}

/** Where the bundle's own style is missing. */
const fallbackColours = `
:root { color-scheme: light dark; --vscode-charts-green: #1a7f37; --vscode-charts-red: #cf222e; --vscode-panel-border: #8c959f; }
@media (prefers-color-scheme: dark) { :root { --vscode-charts-green: #3fb950; --vscode-charts-red: #f85149; } }
body { font: 14px/1.4 system-ui, sans-serif; }
.hidden { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
`;

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** JSON within an element of HTML: nothing in it ends the element or begins a comment, which would swallow its end. */
function json(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** https://html.spec.whatwg.org/multipage/scripting.html#restrictions-for-contents-of-script-elements */
function inlineScript(text: string): string {
  return normalised(text).replace(/^\/\/# sourceMappingURL=.*$/gm, "").replaceAll(/<\/(script)/gi, "<\\/$1").replaceAll("<!--", "<\\!--").replaceAll(/<(script)/gi, "\\x3C$1");
}

function inlineStyle(text: string): string {
  return normalised(text).replace(/^\/\*# sourceMappingURL=.*\*\/$/gm, "").replaceAll(/<\/(style)/gi, "<\\/$1");
}

/** Browsers read line ends as "\n", and what they hash is what they have read. */
function normalised(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}

/** https://www.w3.org/TR/CSP3/#grammardef-hash-source */
function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
