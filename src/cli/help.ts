export const help = `abiding: finds ABI and version skew between the torch you build with, the libtorch you
link and the torch that imports your extension. The first commands read files only; the second
group runs a project's own tools.

Usage
  abiding check [PATH] [--against ENV ...] [--format text|json|sarif|github]
                [--rule NAME ...] [--fail-on error|warning|never] [--output FILE]
  abiding check --environment [ENV] [--format text|json|sarif|github] [--rule NAME ...]
  abiding inspect FILE [--format text|json] [--verify]
  abiding fits FILE [--against ENV] [--format text|json] [--record | --no-record]
  abiding explain [FILE|-] [--against ENV] [--root DIR] [--format text|json] [--output FILE]
  abiding symbols NAME [--against ENV] [--format text|json]
  abiding environment [ENV] [--format text|json] [--output FILE]
  abiding lsp
  abiding mcp [--root DIR] [--against ENV] [--trust]

  abiding build [PATH]             builds the project its own way: findings before, verdict after
  abiding smoke [PATH]             runs its CTest, GoogleTest, pytest or commands
  abiding benchmark [PATH]         measures it, and compares with a baseline or a second build
  abiding libtorch locate|fetch|build
                                   a libtorch for CMake; prints the one argument that uses it
  abiding stamp [PATH]             adds an ABI stamp to a CMake target or a setuptools extension
  abiding combinations PART        which torch works with it, is predicted to, or broke it: records,
                                   predictions, a matrix that is tried, bisect, publishing
  Each of them says more with --help.

check        reads the build files under PATH (default: the current folder) and what was built from
             them, and reports findings. PATH may be a file: only its findings are shown.
             With --environment: compares every extension installed in ENV with its torch.
inspect      says what a shared library or a wheel is and needs. FILE may be the address of a
             wheel: only the parts that matter are fetched.
fits         says whether it would load with a torch, and if not, which symbols, of which kind,
             and which torch releases would do. Nothing is loaded.
explain      says what an error text means: a log, a traceback, the words of a loader, a linker, a
             compiler or an installer; from a file, a pipe or a paste. Files that it names are
             read, nothing is run.
symbols      says which releases of torch export a name, mangled or not, and what followed it.
environment  describes a torch and what surrounds it. The JSON form is a profile that
             --against takes elsewhere.
lsp          speaks the Language Server Protocol on standard input and output.
mcp          answers agents over the Model Context Protocol on standard input and output; with
             --trust they may also have combinations tried.

ENV is a venv or conda prefix, a Python executable, a torch or libtorch folder, a wheel file,
a saved profile (.json), or torch==VERSION[+LOCAL] from the catalogue of releases; for fits
and explain also the address of a wheel, or "index:URL torch==VERSION" for a package index. Default:
abiding.json, then the environment found around PATH.

Options
  --against ENV        check against this torch; may be given several times
  --interpreter FILE   the Python executable whose environment counts as the default
  --rule NAME          run only this rule (also one that is off by default); may be repeated
  --fail-on LEVEL      exit with 1 from this severity on; default error
  --output, -o FILE    write the report to FILE
  --budget SIZE        most that may be read from servers, as 64MB; what a step would cost beyond
                       it is said before anything is fetched
  --gpu CAPABILITY     fits: whether there is code for a GPU of that compute capability, as 9.0
  --record             fits: adds the prediction to .abiding/combinations.jsonl; without it only where a
                       project around the current folder keeps records; --no-record: never
  --verify             compare every file of a wheel with its RECORD
  --help, --version

Exit status: 0 nothing at the --fail-on level, 1 findings, 2 could not run.
fits: 0 no conflict found, 1 conflict, 2 could not tell or could not run. inspect: 0 all of it
was read, 2 a part was not. explain, symbols: 0 something was found, 1 nothing, 2 could not run.
`;
