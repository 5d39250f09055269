export const ciHelp = `abiding combinations ci: writes a workflow for GitHub Actions that tries the matrix of abiding.json
there: one job plans it by what the indexes have on that day, one for each cell tries it, and the
last one merges what they found. Its steps call the two other forms.

Usage
  abiding combinations ci [PATH] --from OWNER/REPOSITORY[@REF] | --command WORD ...
                          [--output FILE|-] [--schedule CRON] [--runs-on LABEL ...] [--commit] [--force]
  abiding combinations ci --matrix PLAN
  abiding combinations ci --records REPORT [--note TEXT]

  --from REPOSITORY  where Abiding lives on GitHub; the workflow builds it once. A tag or commit for REF
                     keeps it from changing under you
  --command WORD     an Abiding that the runners have: the program, then its arguments, an option each
  --output FILE      default .github/workflows/combinations.yml of the repository; - prints it. A file
                     that this command did not write, or that was changed since, stays as it is
  --schedule CRON    when, in UTC; default "17 5 * * *". It can also be started by hand
  --runs-on LABEL    the runners that try cells; default ubuntu-24.04. Several labels: all must be there
  --commit           the last job commits the records to the branch and pushes; it may then write
                     to the repository. Without it they are an artifact, and nothing is changed
  --force            replaces a workflow of this command that was changed by hand
  --matrix PLAN      prints the matrix of a file that "run --plan --format json" has written
  --records REPORT   prints the records of a file that "run --format json" has written; --note goes
                     into each

Exit status: 0 written or printed, 2 could not be.
`;
