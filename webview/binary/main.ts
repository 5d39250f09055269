/** The page of a shared library or wheel. Everything that it knows comes from its host; it looks at no file and no server. */
import type { BinaryView } from "../../src/protocol/index.ts";
import { button, el, icon, plural } from "../shared/dom.ts";
import { currentState, forgetAgainst, isHostMessage, keep, keepScroll, tell } from "./host.ts";
import { filterOf } from "./search.ts";
import { sections, verdict } from "./view.ts";

const name = document.title;
const search = el("input", { type: "search", placeholder: "Search symbols and rows", "aria-label": "Search symbols and rows", spellcheck: "false", autocomplete: "off" });
const found = el("span", { class: "found", role: "status" });
const copied = el("span", { class: "copied", role: "status" });
const demangle = button("Demangle", () => {
  keep({ demangled: !currentState().demangled });
  draw();
}, { class: "toggle", title: "Show C++ names as they are written in sources" });
const answer = el("div", { class: "verdict", role: "status", "aria-live": "polite" });
const actions = el("div", { class: "actions" });
// Not part of what is read out: it changes several times a second.
const progress = el("span", { class: "dim" });
const cancel = button("Cancel", () => tell({ type: "cancel" }));
const body = el("div", { class: "sections" });
const main = el("main", {}, el("h1", {}, name), answer, actions, body);
let view: BinaryView | undefined;
/** The answer that the page shows, to tell another one from the same. */
let shown: string | undefined;

document.body.append(
  el("header", {},
    el("div", { role: "search" }, search, found, copied), demangle,
    button("Copy Report", () => tell({ type: "copyReport" })),
    button("Compare with Another Torch…", () => tell({ type: "compare" }))),
  main,
);

search.value = currentState().search;
search.addEventListener("input", () => {
  keep({ search: search.value });
  draw();
});
search.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && search.value !== "") {
    search.value = "";
    keep({ search: "" });
    draw();
    event.preventDefault();
  }
});
addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "f") {
    search.focus();
    search.select();
    event.preventDefault();
  }
});

function draw(): void {
  const { demangled, search: text } = currentState();
  demangle.setAttribute("aria-pressed", demangled ? "true" : "false");
  if (view === undefined) {
    body.replaceChildren();
    found.textContent = "";
    return;
  }
  const filter = filterOf(text);
  const made = sections(view, { filter, searching: text.trim() !== "", demangled });
  const focused = focusName(document.activeElement);
  body.replaceChildren(...made);
  if (focused !== undefined) {
    const again = [...body.querySelectorAll<HTMLElement>("[tabindex], button, summary")].find((one) => focusName(one) === focused);
    (again ?? answer.querySelector<HTMLElement>(".headline"))?.focus({ preventScroll: again !== undefined });
  }
  const symbols = view.libraries.flatMap((one) => one.symbols).filter((one) => filter(one.name, one.demangled, one.version)).length;
  found.textContent = text === "" ? "" : made.length === 0 ? "Nothing found" : plural(symbols, "symbol");
}

/** What an element that has the focus is called, by which it is found again when it was made anew. */
function focusName(element: Element | null): string | undefined {
  if (!(element instanceof HTMLElement) || !body.contains(element)) {
    return undefined;
  }
  const within = element.closest<HTMLElement>("[data-name]");
  const own = element === within ? "" : element.getAttribute("aria-label") ?? element.textContent;
  return [element.tagName, within?.dataset.name ?? "", own].join("\n");
}

/** Only what differs is said again; the focus goes to what takes the place of the element that had it. */
function say(elements: readonly HTMLElement[], ...buttons: readonly HTMLElement[]): void {
  const focused = document.activeElement;
  const hadFocus = actions.contains(focused) || answer.contains(focused);
  const after = el("div", {}, ...elements);
  if (answer.textContent !== after.textContent) {
    answer.replaceChildren(...elements);
  }
  actions.replaceChildren(...buttons);
  if (hadFocus && (document.activeElement === null || document.activeElement === document.body)) {
    (actions.querySelector("button") ?? answer.querySelector<HTMLElement>(".headline"))?.focus();
  }
}

function problem(message: string): HTMLElement {
  const made = el("p", { class: "headline", tabindex: -1 }, message);
  made.prepend(icon("warning"));
  return made;
}

let copiedFor: ReturnType<typeof setTimeout> | undefined;

addEventListener("message", ({ data }: MessageEvent<unknown>) => {
  if (!isHostMessage(data)) {
    return;
  }
  switch (data.type) {
    case "busy":
      main.setAttribute("aria-busy", "true");
      progress.textContent = data.progress ?? "";
      // A button that is made anew could not be hit.
      if (!cancel.isConnected || data.progress === undefined) {
        say([el("p", { class: "headline busy", tabindex: -1 }, data.message)], cancel, progress);
      }
      break;
    case "failed":
      main.removeAttribute("aria-busy");
      view = undefined;
      shown = undefined;
      say([problem(data.message)], button("Try Again", () => tell({ type: "retry" })), button("Open as Text", () => tell({ type: "openAsText" })));
      draw();
      break;
    case "copied":
      copied.textContent = `Copied ${data.what}`;
      clearTimeout(copiedFor);
      copiedFor = setTimeout(() => copied.replaceChildren(), 3000);
      break;
    case "view": {
      main.removeAttribute("aria-busy");
      const isFirst = view === undefined;
      view = data.view;
      if (data.compared === undefined) {
        forgetAgainst();
      } else {
        keep({ against: data.compared });
      }
      say(verdict(view), ...(data.compared === undefined ? [] : [button("Compare with Selected Environment", () => tell({ type: "compareSelected" }))]),
        ...(view.fits === undefined && data.compared === undefined ? [button("Select Environment…", () => tell({ type: "selectEnvironment" }))] : []));
      const next = JSON.stringify(view);
      if (next !== shown) {
        shown = next;
        draw();
      }
      if (isFirst) {
        scrollTo(0, currentState().scroll[""] ?? 0);
      }
      break;
    }
  }
});

let scrolling = 0;
addEventListener("scroll", () => {
  cancelAnimationFrame(scrolling);
  scrolling = requestAnimationFrame(() => keepScroll("", scrollY));
});

draw();
const { against } = currentState();
tell({ type: "ready", ...(against === undefined ? {} : { against }) });
