export const predictHelp = `abiding combinations predict: compares what is built with every torch of a range, over the network.
Of each torch's wheel only the tables of its libraries are read, about 5 MB without CUDA and 7 MB with; nothing is
installed or run. What comes out is a prediction, and is never called tested.

Usage
  abiding combinations predict [PATH | FILE ...] [--torch TORCH ...] [--index URL ...] [--budget 300MB]
                               [--python 3.12] [--variant cu130] [--offline] [--no-record]
                               [--format text|json] [--output FILE]

  PATH                 a project: its libraries in build folders and beside its packages, or its wheels in
                       dist, whichever is newer; the current folder unless another is named
  FILE ...             libraries or wheels of the project in the current folder
  --torch TORCH        a version (2.13.0), a range (">=2.12,<2.15"), release:5 or nightly:30 for the newest,
                       nightly:20261001..20261031 for days; may be repeated. Default: those of abiding.json,
                       else release:5 and nightly:10
  --index URL          a package index; may be repeated. Default: those of abiding.json, else the project's, else PyPI
  --budget SIZE        bytes that may be read; default 300MB. How much it will take is said first. It stops before
                       it would read more, and the same command goes on from there
  --python, --variant  the Python and the build of torch ("cpu", "cu130"); default: what the files are for
  --offline            asks no server: what earlier predictions left has to do
  --no-record          adds nothing to the records of the project

What was read is kept in the user's cache folder, one gigabyte of it at most: the second time nothing is read.
Exit status: 0 no conflict is predicted, 1 one is, 2 could not tell for all or could not run, 130 cancelled.
`;
