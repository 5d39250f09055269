export const listHelp = `abiding combinations list: what is recorded of a project, the newest first.

Usage
  abiding combinations list [PATH] [--torch TORCH] [--python 3.12] [--project NAME] [--version V]
                            [--commit HASH] [--how METHOD] [--outcome OUTCOME] [--since WHEN]
                            [--platform P] [--gpu NAME] [--limit N]
                            [--format text|json|jsonl] [--output FILE]

  PATH                a project, or a file of records; the current folder unless another is named
  --torch TORCH       a version (2.13.0), a range (">=2.12,<2.15"), release or nightly
  --how METHOD        predicted, built, loaded, smoke or benchmark; may be repeated
  --outcome OUTCOME   no-conflict or conflict of predictions; passed or failed of what was tried;
                      unknown; may be repeated
  --project, --version, --commit
                      of the project itself; the begin of the hash is enough
  --since WHEN        a day (2026-11-01), a time, or an age (36h, 7d, 4w)
  --platform P        as records name it: linux-x86_64
  --gpu NAME          a part of its name; none for those without one
  --limit N           the newest N of them
  --format jsonl      one record a line, as they stand in the file and as they are read: for files of
                      any size

Lines that are no records are told on standard error and left out.
Exit status: 0 also when nothing matches, 2 the file could not be read.
`;
