export const publishHelp = `abiding combinations publish: what is known to work, for others: the latest working line for those
who want a release of torch and for those who want a nightly, and the table.

Usage
  abiding combinations publish [PATH] --format markdown|html|json|shields [--output FILE]
                               [--rows N] [--without bodies|benchmarks] [--channel release|nightly]
                               [--interpreter PYTHON]

  --format markdown   for a README
  --format html       one file for a site: the panel's views with everything in it, no remote
                      content, and a plain table where scripts may not run
  --format json       for programs (docs/schema/combinations-publish.schema.json)
  --format shields    what https://shields.io/badges/endpoint-badge reads from an address
  --channel CHANNEL   of the badge; default release
  --rows N            torches in the table; default 30, in JSON all
  --without VIEW      the page does without the bodies, or without the benchmarks; may be repeated
  --interpreter PYTHON
                      the Python whose environment the bodies are compared with

A line works when tests passed with it; a prediction is shown as one, and never counts as working.
Paths, names of hosts and users, and indexes that only this network reaches are left out. Asks no
server.
Exit status: 0 published, 2 could not be.
`;
