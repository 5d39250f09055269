export const combinationsHelp = `abiding combinations: which torch works with this project, which is predicted to, which broke it.

Usage
  abiding combinations list       what is recorded
  abiding combinations record     adds a record by hand
  abiding combinations nightlies  what package indexes have, and had
  abiding combinations predict    compares what is built with every torch of a range, over the network
  abiding combinations run        tries the matrix of abiding.json: installs, builds, loads, tests, measures
  abiding combinations bisect     finds the first torch that breaks it, and why
  abiding combinations publish    the line that works, the table, a page for a site
  abiding combinations roll       rewrites the pins of the project to a set that works
  abiding combinations ci         writes a GitHub Actions matrix
  abiding combinations merge      adds the records of other files
  Each of them says more with --help.
`;
