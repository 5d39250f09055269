export const smokeHelp = `abiding smoke: runs the tests that say whether a build works on this machine, each in a process of
its own, and says what went wrong: failed, crashed, timed out, missing, or skipped for want of a GPU.

Usage
  abiding smoke [PATH] [--plan ID ...] [--test NAME ...] [--except NAME ...] [--label L ...]
                [--failed] [--time-limit 5m] [--repeat N] [--interpreter PYTHON]
                [--against ENV ...] [--record | --no-record] [--verbose]
                [--format text|json|junit] [--output FILE]
  abiding smoke [PATH] --list [--static] [--format text|json]

  --gantry               the tests of Gantry, the library that comes with Abiding
  --plan ID              only this part: a build folder of CTest, pytest, a command of abiding.json
  --test, --except NAME  a test's id or name, or a pattern with * and ?; may be repeated
  --label L              only tests with this CTest label or pytest marker; may be repeated
  --failed               those that did not pass the last time
  --time-limit TIME      for each test that sets none; default 5m
  --repeat N             runs everything N times; a test passes when it does each time
  --interpreter PYTHON   the Python to test with
  --against ENV          the torch with which files are compared that failed to load
  --record               adds what came out to the combinations that are known, in
                         .abiding/combinations.jsonl: passed only when all tests were run. Without
                         it only where that file is there, or abiding.json has "combinations"
  --no-record            never
  --verbose, -v          shows what tests print while they run
  --list                 the tests; asks pytest, which imports them. With --static only what files show
  --format junit         the report for CI; crashes and missing programs are errors in it

Exit status: 0 all passed, 1 something did not, 2 could not run or found no tests, 130 cancelled.
`;
