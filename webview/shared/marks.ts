export type Mark = "good" | "bad" | "warning" | "unknown" | "info";

/** Outlines in a square of 16, so that marks differ in shape and not in colour alone. */
export const outlines: Readonly<Record<Mark, string>> = {
  good: "M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1Zm3.4 4.3L7 9.7 4.9 7.6l-.9.9 3 3 5.3-5.3Z",
  bad: "M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1ZM5.6 4.7l-.9.9L7.1 8l-2.4 2.4.9.9L8 8.9l2.4 2.4.9-.9L8.9 8l2.4-2.4-.9-.9L8 7.1Z",
  warning: "M8 1.2 15.4 14H.6ZM7.3 6v4h1.4V6Zm0 5v1.4h1.4V11Z",
  unknown: "M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1Zm-.7 9.8v1.4h1.4v-1.4ZM5.4 6.3h1.3a1.3 1.3 0 1 1 2 1.1c-.9.6-1.4 1-1.4 2.1h1.4c0-.5.2-.7.8-1.1a2.6 2.6 0 1 0-4.1-2.1Z",
  info: "M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1Zm-.7 6v5h1.4V7Zm0-3v1.5h1.4V4Z",
};
