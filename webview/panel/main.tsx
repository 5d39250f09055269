/** The panel's page: the work of a project, its bodies, its combinations and its benchmarks. Everything that it knows comes from its host, or stands in the published page. */
import { options, render } from "preact";
import { visible } from "../shared/text.ts";
import { App } from "./app.tsx";
import { hosted } from "./host.ts";

// Whatever stands in records, files and names reaches the page as visible text, in all views alike: preact hands every text through here.
options.vnode = (vnode) => {
  if (vnode.type === null && typeof vnode.props === "string") {
    (vnode as { props: unknown }).props = visible(vnode.props);
  }
};

if (!hosted) {
  document.documentElement.dataset.published = "";
}
const place = document.createElement("div");
place.id = "panel";
document.body.append(place);
render(<App />, place);
