/** The one line to paste, for the command line, the panel and published pages alike. */

export interface ToInstall {
  /** With its local label: "2.15.0.dev20261101+cu130". */
  readonly torch: string;
  /** The index's address; absent: the installer's own. */
  readonly index?: string;
  /** "torchvision" -> version. */
  readonly packages?: Readonly<Record<string, string>>;
}

/**
 * `pip install --pre torch==… torchvision==… --index-url …`, as pytorch.org writes it. PyPI is what installers use unless they
 * are told otherwise, and is left out; it has no versions with labels (Python Packaging User Guide, "Version specifiers": local
 * version identifiers), although what is installed from it calls itself "2.15.0+cu130". An address never shows its user.
 */
export function installLine(what: ToInstall): string {
  const isPypi = what.index !== undefined && /^https:\/\/(?:www\.)?pypi\.(?:org|python\.org)\/simple\/?$/.test(what.index);
  const pins = [["torch", what.torch] as const, ...Object.entries(what.packages ?? {}).filter(([name]) => name !== "torch")];
  const isPre = pins.some(([, version]) => /\d(?:a|b|rc|\.?dev)\d/i.test(version.replace(/\+.*$/, "")));
  const index = isPypi ? undefined : what.index?.replace(/^(https?:\/\/)[^/?#]*@/i, "$1");
  return ["pip install", ...(isPre ? ["--pre"] : []), ...pins.map(([name, version]) => quoted(`${name}==${isPypi ? version.replace(/\+.*$/, "") : version}`)), ...(index === undefined ? [] : ["--index-url", quoted(index)])].join(" ");
}

/** As a shell takes it. */
function quoted(text: string): string {
  return /^[\w.,:/=+%@~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
