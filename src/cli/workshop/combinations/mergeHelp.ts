export const mergeHelp = `abiding combinations merge: adds the records of other files to those of a project, those that are
not there yet: what CI kept as artifacts, another branch, another machine.

Usage
  abiding combinations merge FILE|FOLDER ... [--into PATH] [--format text|json] [--output FILE]

  FILE           a file of records
  FOLDER         every file below it whose name ends in .jsonl
  --into PATH    the project; the current folder unless another is named

A line that is no record costs only itself, and is told. A file without any record is refused, and
the others are taken all the same. Records of a newer Abiding are added as they are.
Exit status: 0 everything was taken, 1 a file was refused, 2 nothing could be added.
`;
