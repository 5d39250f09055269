export const benchmarkHelp = `abiding benchmark: runs the benchmarks of a project (Google Benchmark, nvbench, pytest-benchmark,
or a command that prints the JSON of one), keeps what they measured, and compares: regressed only
when a rank test, an interval and the size of the effect say so.

Usage
  abiding benchmark [PATH] [--plan ID ...] [--filter REGEXP] [--repetitions N] [--threshold 3%]
                    [--baseline WHAT | --against-build FOLDER | --variant-interpreter PYTHON]
                    [--save-baseline NAME] [--interpreter PYTHON] [--time-limit 10m]
                    [--record | --no-record]
                    [--format text|json | --export json|csv|markdown] [--output FILE]
  abiding benchmark [PATH] --list [--format text|json]
  abiding benchmark [PATH] --history [--format text|json | --export json|csv|markdown]

  --gantry               the benchmarks of Gantry, the library that comes with Abiding
  --plan ID              only this part: a benchmark program, pytest, a command of abiding.json
  --filter REGEXP        only benchmarks whose name it finds
  --repetitions N        how often each is measured, each time in a process of its own; default 10
  --baseline WHAT        compares with "last", a name given by --save-baseline, the id of a run of
                         the history, or an exported JSON file
  --save-baseline NAME   keeps the result under this name
  --against-build FOLDER measures the programs of another build folder too, in turns, and compares
  --variant-interpreter PYTHON
                         measures with another Python too, in turns, and compares
  --threshold SHARE      a smaller difference is not reported; default 3%
  --interpreter PYTHON   the Python to measure with
  --time-limit TIME      for each process; default 10m
  --record               adds that it ran, or what regressed, to the combinations that are known, in
                         .abiding/combinations.jsonl. Without it only where that file is there, or
                         abiding.json has "combinations"
  --no-record            never
  --list                 the benchmarks; asks the programs, which measure nothing for it
  --history              what was measured before; measures nothing
  --export FORM          what was measured, or with --history everything, for other programs

Exit status: 0 measured, 1 something regressed or failed, 2 could not run or found nothing to
measure, 130 cancelled.
`;
