export const nightliesHelp = `abiding combinations nightlies: what package indexes have of torch and the packages beside it, and what they
had: an index of nightlies lists the newest 60, and what was seen once stays known. torchvision and its like
are matched by what their METADATA asks for, not by the day in their version. Releases are shown alike.

Usage
  abiding combinations nightlies [PATH] [--index URL ...] [--package NAME ...] [--torch TORCH ...]
                                 [--python 3.12] [--variant cu130] [--platform linux-x86_64]
                                 [--all] [--offline] [--refresh] [--probe] [--format text|json] [--output FILE]

  PATH             the project; the current folder unless another is named
  --index URL      a package index (PEP 503, PEP 691), the best first; may be repeated. Default: those of
                   abiding.json, else those that the project's files name, else the one that UV_DEFAULT_INDEX or
                   PIP_INDEX_URL names, else PyPI
  --package NAME   a package beside torch; may be repeated. Default: those of abiding.json, else torchvision and
                   torchaudio where the project asks for them
  --torch TORCH    only these: a version (2.13.0), a range (">=2.12,<2.15"), release:5 or nightly:30 for the newest,
                   nightly:20261101 for a day, nightly:20261001..20261031 for days; may be repeated
  --python, --variant, --platform
                   what has to fit: the Python, the build of torch ("cpu", "cu130"), the platform
  --all            all of them; the text shows the newest 20 otherwise
  --offline        opens no connection; says how old what is known is
  --refresh        reads the pages again although they were read in the last ten minutes
  --probe          asks for the first byte of wheels that are no longer listed: whether they are still there

Exit status: 0 something is known, 1 nothing fits or an index could not be read, 2 could not run, 130 cancelled.
`;
