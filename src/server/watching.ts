/** What happens outside the editor's documents: settings, folders, and files that others create, change or delete. */
import * as path from "node:path";
import { DidChangeConfigurationNotification, DidChangeWatchedFilesNotification, FileChangeType, WatchKind } from "vscode-languageserver/node";
import type { FileEvent } from "vscode-languageserver/node";
import type { Publisher } from "./publisher.ts";
import type { Session } from "./session.ts";
import { pathOf } from "./uris.ts";

/** Files whose text matters. */
const watchedChanges = [
  "**/CMakeLists.txt", "**/*.cmake", "**/CMake{,User}Presets.json", "**/CMakeCache.txt",
  "**/*.py", "**/*.{toml,cfg,yml,yaml}", "**/*requirements*.{txt,in}", "**/*constraints*.txt", "**/requirements/*.{txt,in}",
  "**/*{Dockerfile,Containerfile}*", "**/abiding.json", "**/*.{c,cc,cpp,cxx,cu,cuh,h,hh,hpp,hxx}",
];

export function watchWorkspace(session: Session, publisher: Publisher): void {
  const { connection, client } = session;
  const report = (error: unknown): void => connection.console.warn(`The client refused a registration: ${String(error)}`);
  connection.onInitialized(() => {
    if (client.configurationChanges) {
      connection.client.register(DidChangeConfigurationNotification.type, { section: "abiding" }).catch(report);
    }
    if (client.watchFiles) {
      const watchers = [
        ...watchedChanges.map((globPattern) => ({ globPattern, kind: WatchKind.Change })),
        // A folder that comes or goes is one event, whatever files are in it.
        { globPattern: "**/*", kind: WatchKind.Create | WatchKind.Delete },
      ];
      connection.client.register(DidChangeWatchedFilesNotification.type, { watchers }).catch(report);
    }
    if (client.folderChanges) {
      connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
        removed.forEach((folder) => session.removeFolder(folder.uri));
        added.forEach((folder) => session.addFolder(folder.uri));
        session.configure();
        publisher.refresh();
      });
    }
    session.configure();
    publisher.schedulePush();
  });
  connection.onDidChangeConfiguration(({ settings }) => {
    // Clients that answer questions send nothing useful here; others send everything.
    const sent = settings as { abiding?: unknown } | null | undefined;
    session.configure(client.configuration ? undefined : sent?.abiding ?? sent);
    void session.ready.then(() => publisher.refresh());
  });
  connection.onDidChangeWatchedFiles(({ changes }) => {
    if (changes.map((change) => applyChange(session, change)).includes(true)) {
      publisher.refresh();
    }
  });
}

/** Tells the projects; true when it may matter to one of them. */
function applyChange(session: Session, change: FileEvent): boolean {
  const file = pathOf(change.uri);
  if (file === undefined || /[\\/](?:\.git|node_modules|__pycache__)[\\/]/.test(file)) {
    return false;
  }
  if (change.type === FileChangeType.Changed) {
    session.projects.invalidate(file);
    return true;
  }
  if (isFolderEvent(session, file, change.type)) {
    session.projects.all.forEach((project) => project.invalidateAll());
  } else {
    session.projects.invalidate(file);
  }
  return true;
}

function isFolderEvent(session: Session, file: string, type: FileChangeType): boolean {
  if (type === FileChangeType.Created) {
    return session.files.status(file)?.kind === "directory";
  }
  const inside = file + path.sep;
  return session.projects.all.some((project) => project.last?.files.some((one) => one.startsWith(inside)) ?? false);
}
