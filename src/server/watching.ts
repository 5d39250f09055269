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
  "**/*.so",
];

/** The same, for the events of files that come or go, and folders, whose names end in anything. */
const relevantName = /(?:\.(?:cmake|json|py|toml|cfg|ya?ml|txt|in|c|cc|cpp|cxx|cu|cuh|h|hh|hpp|hxx)|(?:Docker|Container)file[^\\/]*|[\\/][^.\\/]*|[\\/]\.venv)$/i;

/** What a build makes. */
const builtFile = /\.so(?:\.\d+)*$/;

/** Environments are changed by pip and conda, mostly outside every watched folder. In milliseconds; a look is a few stats. */
const environmentInterval = 2000;

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
    setInterval(() => {
      // All are asked: each remembers what it saw.
      if (session.projects.all.map((project) => project.noticeEnvironment()).includes(true)) {
        publisher.refresh();
      }
    }, environmentInterval).unref();
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
  if (file === undefined || /[\\/](?:\.git|node_modules|__pycache__|CMakeFiles)(?:[\\/]|$)/.test(file)) {
    return false;
  }
  session.files.forget();
  if (builtFile.test(file)) {
    // Builds write hundreds of these: each is looked at by itself, and nothing else is read again.
    return session.projects.invalidate(file);
  }
  if (change.type === FileChangeType.Changed) {
    // The text of an open document is the editor's, not the disk's.
    return !session.isOpen(file) && session.projects.invalidate(file);
  }
  // Both are asked: the first forgets what only it knows, such as abiding.json.
  const known = [session.projects.invalidate(file), change.type === FileChangeType.Created || wasRead(session, file)].includes(true);
  const matters = relevantName.test(file) && known;
  if (matters) {
    // A file that was missing is in no list of files that were read, yet an include may have asked for it.
    session.projects.all.forEach((project) => project.invalidateAll());
  }
  return matters;
}

/** A build file or source that a project used, or a folder around one. */
function wasRead(session: Session, file: string): boolean {
  const inside = file + path.sep;
  return session.projects.all.some((project) => {
    const sources = project.last?.declared.flatMap(({ target }) => target.sources.map((source) => source.path)) ?? [];
    return [...project.last?.files ?? [], ...sources].some((one) => one === file || one.startsWith(inside)) || project.last?.findings.some((one) => one.location.path === file);
  });
}
