import type { BinaryPageMessage } from "../../protocol/index.ts";

const plain = ["copyReport", "compare", "compareSelected", "selectEnvironment", "cancel", "retry", "openAsText"] as const;

/** A message of the page, looked at before it is believed; undefined for anything else. */
export function pageMessage(data: unknown): BinaryPageMessage | undefined {
  if (typeof data !== "object" || data === null || !("type" in data)) {
    return undefined;
  }
  const { type } = data;
  const text = (name: string): string | undefined => {
    const value: unknown = (data as Readonly<Record<string, unknown>>)[name];
    return typeof value === "string" ? value : undefined;
  };
  switch (type) {
    case "ready": {
      const against = text("against");
      return { type, ...(against === undefined ? {} : { against }) };
    }
    case "copy": {
      const copied = text("text");
      return copied === undefined ? undefined : { type, text: copied };
    }
    case "openRule": {
      const rule = text("rule");
      return rule === undefined ? undefined : { type, rule };
    }
    default: {
      const known = plain.find((one) => one === type);
      return known === undefined ? undefined : { type: known };
    }
  }
}
