import archives from "../../../data/libtorch-archives.json" with { type: "json" };

/**
 * A sentence when a proxy is set that is not used. Node's own `fetch` reads HTTPS_PROXY, HTTP_PROXY and NO_PROXY only where
 * NODE_USE_ENV_PROXY is set when it starts, from Node 22.21 and 24.5 on (nodejs.org, Command-line API, NODE_USE_ENV_PROXY).
 */
export function proxyRemark(index: string | undefined, environment: Readonly<Record<string, string>>): string | undefined {
  const url = new URL(index !== undefined && URL.canParse(index) ? index : archives.libtorch.address);
  const names = url.protocol === "https:" ? ["HTTPS_PROXY", "https_proxy"] : ["HTTP_PROXY", "http_proxy"];
  const name = names.find((one) => (environment[one] ?? "") !== "");
  if (name === undefined || isExempt(url, environment["NO_PROXY"] ?? environment["no_proxy"] ?? "") || environment["NODE_USE_ENV_PROXY"] === "1") {
    return undefined;
  }
  return `${name} is set, and was not used: Node uses it from 22.21 and 24.5 on, when NODE_USE_ENV_PROXY=1 is set as well.`;
}

/** NO_PROXY: names, with or without a leading dot, that end the host; "*" is all. */
function isExempt(url: URL, exempt: string): boolean {
  return exempt.split(",").map((one) => one.trim().toLowerCase()).some((one) => one === "*" || (one !== "" && (url.hostname === one.replace(/:\d+$/, "") || url.hostname.endsWith(`.${one.replace(/^\./, "").replace(/:\d+$/, "")}`))));
}
