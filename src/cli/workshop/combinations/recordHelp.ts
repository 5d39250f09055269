export const recordHelp = `abiding combinations record: adds what you know to the records of a project, by hand.

Usage
  abiding combinations record [PATH] --how METHOD --outcome OUTCOME [--torch VERSION]
                              [--against ENV] [--note TEXT] [--reason TEXT] [...] [--format text|json]

  --how METHOD         built, loaded, smoke or benchmark; predicted
  --outcome OUTCOME    passed or failed; of predicted no-conflict or conflict; unknown
  --torch VERSION      with its label: 2.14.1+cu130. Default: the torch of the environment
  --against ENV        the environment that was used: a venv, a Python. Default: the one around PATH.
                       What it tells (torch and its commit, Python, CUDA, packages) need not be given
  --reason TEXT        why it failed; with --rule NAME, --test ID and --symbol NAME (may be repeated)
  --note TEXT          anything else
  --when TIME          such as 2026-11-30T12:00:00Z; default now

  --project NAME, --version V, --commit HASH
                       of the project; default: what its files and git say
  --torch-commit HASH, --index URL, --package NAME=VERSION (may be repeated)
  --python 3.12, --cuda 13.0|none, --compiler "gcc 12.2.0", --platform linux-x86_64
  --gpu NAME|none, --capability 9.0, --driver VERSION

Exit status: 0 added, or there already; 2 it could not be.
`;
