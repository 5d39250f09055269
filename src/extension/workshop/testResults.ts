import * as vscode from "vscode";
import type { TestResult } from "../../workshop/smoke/types.ts";
import { escaped } from "../markdown.ts";
import { rangeOf } from "./decision.ts";

/** Puts the result of a test to its item, as the Testing view tells outcomes apart. */
export function report(run: vscode.TestRun, item: vscode.TestItem, result: TestResult): void {
  switch (result.outcome) {
    case "passed":
      run.passed(item, result.milliseconds);
      break;
    case "failed":
      run.failed(item, messagesOf(item, result), result.milliseconds);
      break;
    case "crashed":
    case "timed-out":
    case "missing-executable":
      // It did not come as far as a failed check.
      run.errored(item, messagesOf(item, result), result.milliseconds);
      break;
    case "skipped":
    case "not-run":
      if (result.reason !== undefined) {
        run.appendOutput(`\u001B[2m* ${result.label}: ${result.reason.replace(/\r?\n/g, "\r\n")}\u001B[0m\r\n`, undefined, item);
      }
      run.skipped(item);
      break;
    case "cancelled":
      // Without a state of its own it keeps the result that it had.
      break;
  }
}

/** What happened first, then each place that the output names. */
function messagesOf(item: vscode.TestItem, result: TestResult): vscode.TestMessage[] {
  const home = item.uri === undefined ? undefined : new vscode.Location(item.uri, item.range ?? new vscode.Position(0, 0));
  const [first, ...others] = result.messages;
  const head = messageOf(headline(result), first);
  head.location = locationOf(first?.location) ?? stackLocation(result) ?? home;
  if (result.stack !== undefined && result.stack.length > 0) {
    head.stackTrace = result.stack.map((frame) => {
      const place = locationOf(frame.location);
      const label = frame.module === undefined ? frame.function : `${frame.function} (${frame.module})`;
      return new vscode.TestMessageStackFrame(label, place?.uri, place?.range.start);
    });
  }
  return [head, ...others.map((one) => {
    const message = messageOf(one.message, one);
    message.location = locationOf(one.location) ?? home;
    return message;
  })];
}

function messageOf(text: string | vscode.MarkdownString, place: TestResult["messages"][number] | undefined): vscode.TestMessage {
  return place?.expected === undefined || place.actual === undefined ? new vscode.TestMessage(text) : vscode.TestMessage.diff(text, place.expected, place.actual);
}

function headline(result: TestResult): string | vscode.MarkdownString {
  const [first] = result.messages;
  const text = [result.reason, first?.message].filter((one) => one !== undefined && one !== "").join("\n\n") || vscode.l10n.t("It did not pass, and said nothing.");
  if (result.explanation === undefined) {
    return text;
  }
  const { rule, message, fix, copy } = result.explanation;
  const markdown = new vscode.MarkdownString();
  markdown.appendMarkdown([message, ...(fix === undefined ? [] : [fix])].map(escaped).join("\n\n"));
  if (copy !== undefined) {
    markdown.appendCodeblock(copy);
  }
  if (rule !== undefined) {
    markdown.appendMarkdown(`\n\n[${rule}](command:abiding.openRuleDocumentation?${encodeURIComponent(JSON.stringify([rule]))})`);
  }
  markdown.appendText(`\n\n${text}`);
  markdown.isTrusted = { enabledCommands: ["abiding.openRuleDocumentation"] };
  return markdown;
}

function locationOf(location: { readonly path: string; readonly range: Parameters<typeof rangeOf>[0] } | undefined): vscode.Location | undefined {
  return location === undefined ? undefined : new vscode.Location(vscode.Uri.file(location.path), rangeOf(location.range));
}

function stackLocation({ stack }: TestResult): vscode.Location | undefined {
  return locationOf(stack?.find((frame) => frame.location !== undefined)?.location);
}
