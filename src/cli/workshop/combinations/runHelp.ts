export const runHelp = `abiding combinations run: tries the project with every torch of a matrix: a scratch environment
each, then install, build, load, smoke tests and benchmarks; and records what came out.

Usage
  abiding combinations run [PATH] --plan [...]
  abiding combinations run [PATH] [--torch TEXT ...] [--python V ...] [--index URL ...]
                           [--steps LIST] [--only CELL ...] [--executor local|slurm] [--jobs N]
                           [--keep | --keep-failed] [--offline] [--format text|json] [--output FILE]
  abiding combinations run [PATH] --resume RUN|last

  --plan           shows the cells, and what is left out and why; nothing is installed
  --gantry         tries Gantry, the library that comes with Abiding
  --torch TEXT     2.13.0, 2.13.0+cpu, ">=2.12,<2.15", release:3 or nightly:7; may be repeated.
                   Without it what "combinations" in abiding.json says, else the torch that the
                   project has and the newest that its indexes offer
  --python V       3.12, 3.13t; may be repeated. Nothing is downloaded: it has to be on this machine
  --index URL      an index that has torch, in place of those of abiding.json; may be repeated
  --steps LIST     of build,load,smoke,benchmark, with commas between; install comes always
  --only CELL      a cell's id as --plan shows it, or its beginning; may be repeated
  --executor       where cells are tried: on this machine, or by Slurm as abiding.json describes it
  --jobs N         cells at once; default 1. Benchmarks say most when nothing else runs
  --keep           environments and build trees stay afterwards; --keep-failed: those of cells that did
                   not pass. Logs always do
  --resume RUN     goes on with a run that was interrupted; "last" is the last one
  --offline        plans by what was read of the indexes before

The project's own folders and environments are left as they are: everything happens in
.abiding/local/combinations/RUN. pip's or uv's configuration and caches are used.

Exit status: 0 every cell passed, 1 some did not, 2 could not run, 130 cancelled.
`;

export const cellHelp = `abiding combinations cell: tries the one cell of a folder that combinations run has prepared, and
leaves result.json in it. It is what the jobs of a cluster run.

Usage
  abiding combinations cell --task FOLDER

Exit status: 0 whatever became of the cell, 2 when the folder is none of a cell.
`;
