export const rollHelp = `abiding combinations roll: rewrites the pins of torch and of the packages beside it, in all files of the
project, to one set that goes together: requirements and constraints, pyproject.toml, setup.py, conda
environments, Dockerfiles, steps of CI, and files that hold torch's commit. Nothing but the versions changes.
Without --write it shows what it would change, as a unified diff.

Usage
  abiding combinations roll [PATH] [--to VERSION | latest | latest-nightly] [--from VERSION] [--write]
                            [--index URL ...] [--package NAME ...] [--python 3.12] [--variant cu130]
                            [--platform linux-x86_64] [--offline] [--refresh]
                            [--format text|json|patch] [--output FILE]

  PATH             the project; the current folder unless another is named
  --to VERSION     the torch to pin: a version, nightly:20261101, or the newest release (latest) or nightly
                   (latest-nightly) that is recorded as working. Default: latest or latest-nightly, as the pin is
  --from VERSION   the pinned torch to roll, where several are pinned; default: that of the main files. Pins of
                   others, as in examples, are left
  --write          writes it, in one go; not when a file was changed meanwhile
  --index URL      a package index; may be repeated. Default: those of abiding.json, else the project's, else PyPI
  --package NAME   a further package that goes with torch; may be repeated
  --python, --variant, --platform
                   what the wheels have to fit
  --offline        opens no connection
  --format patch   only the diff, for git apply

Exit status: 0 rolled, or there is nothing to roll; 1 some pins have to be changed by hand; 2 could not run, nothing is
known to roll to, or a file was changed meanwhile; 130 cancelled.
`;
