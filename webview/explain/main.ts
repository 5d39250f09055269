/** The page of an explanation: what an error text means, what to do about it, and where to look further. */
import { button, el } from "../shared/dom.ts";
import { isHostMessage, tell } from "./host.ts";
import { explanation } from "./view.ts";

const state = el("p", { class: "state", role: "status" });
const copied = el("span", { class: "copied", role: "status" });
const body = el("div");
const main = el("main", {}, state, body);
document.body.append(main, copied);

let copiedFor: ReturnType<typeof setTimeout> | undefined;

addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    tell({ type: "close" });
  }
});

addEventListener("message", ({ data }: MessageEvent<unknown>) => {
  if (!isHostMessage(data)) {
    return;
  }
  main.toggleAttribute("aria-busy", data.type === "busy");
  switch (data.type) {
    case "busy":
      state.textContent = data.message;
      body.replaceChildren(el("h1", { class: "hidden" }, document.title), button("Cancel", () => tell({ type: "cancel" })));
      break;
    case "failed":
      state.textContent = data.message;
      body.replaceChildren(el("h1", { class: "hidden" }, document.title), button("Try Again", () => tell({ type: "retry" })));
      break;
    case "copied":
      copied.textContent = "Copied";
      clearTimeout(copiedFor);
      copiedFor = setTimeout(() => copied.replaceChildren(), 3000);
      break;
    case "view": {
      state.textContent = "";
      body.replaceChildren(...explanation(data.view));
      scrollTo(0, 0);
      // Whoever asked hears the answer first, and goes on from there.
      body.querySelector("h1")?.focus();
      break;
    }
  }
});

tell({ type: "ready" });
