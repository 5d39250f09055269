export const bisectHelp = `abiding combinations bisect: finds the first torch that breaks the project, and why.
Symbols are asked first, which takes seconds: of each torch's wheel only the tables of its libraries are read. What has
to be tried is tried where symbols break, so that two runs do as long as they are right.

Usage
  abiding combinations bisect [PATH | FILE ...] --good TORCH --bad TORCH [--by fits|build|smoke|benchmark]
                              [--index URL ...] [--python 3.12] [--variant cu130] [--budget 300MB] [--offline]
                              [--restart] [--no-record] [--verbose] [--format text|json] [--output FILE]

  --good, --bad TORCH  a version such as 2.13.0 or 2.15.0.dev20261101, or the day of a nightly, 20261101
  --by fits            what is built would no longer load (default)
  --by build           it no longer builds; --by smoke: it no longer builds, loads or passes its smoke tests;
                       --by benchmark: it no longer does, or is slower than with the good torch. Each torch is tried in
                       an environment of its own, which is removed after it
  --index URL          a package index; may be repeated. Default: those of abiding.json, else the project's, else PyPI
  --budget SIZE        bytes that reading symbols may cost; default 300MB
  --restart            forgets what an interrupted bisect of the same question found out; without it that goes on
  --no-record          adds nothing to the records of the project
  --verbose, -v        shows what is printed while a torch is tried

Nightlies that were withdrawn, do not install or cannot be told are passed over. It ends with the last good and the first bad
torch, torch's commits between them, and the symbols or the test that broke.
Exit status: 0 found, 1 not found or inconclusive, 2 could not run, 130 cancelled.
`;
