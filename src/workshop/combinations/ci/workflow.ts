import { stringify } from "yaml";

export interface CiRequest {
  /** A repository that Abiding is built from, or the words of an installed one. */
  readonly abiding: { readonly repository: string; readonly ref?: string } | { readonly command: readonly string[] };
  /** The project in its repository: ".", or a folder with "/" between its parts. */
  readonly project: string;
  /** The file of records, relative to the project. */
  readonly records: string;
  /** As cron writes it, UTC. */
  readonly schedule: string;
  /** Labels that a runner of the cells must have. */
  readonly runsOn: readonly string[];
  /** The matrix names commits, tags or branches: the whole history is fetched. */
  readonly hasCommits: boolean;
  /** What was merged is committed to the branch. */
  readonly commits: boolean;
}

/**
 * Major versions that exist, as seen in the actions' releases: checkout 6, setup-node 6, setup-python 6, upload-artifact 7,
 * download-artifact 8 (it takes artifacts of upload-artifact from 4 on).
 */
const actions = { checkout: "actions/checkout@v6", node: "actions/setup-node@v6", python: "actions/setup-python@v6", upload: "actions/upload-artifact@v7", download: "actions/download-artifact@v8" } as const;

const tool = "abiding-tool";
const workspace = "project";

const begin = `mapfile -t abiding <<< "$ABIDING_COMMAND"\n`;

/** What is printed from here on has names of the project in it: none of it is a command to the runner. */
const quiet = `token="abiding-$RANDOM$RANDOM$RANDOM$(date +%s%N)"
echo "::stop-commands::$token"
trap 'echo "::$token::"' EXIT
`;

const build = `cd -- ${tool}
npm ci --include=dev --no-audit --no-fund
npm run build
`;

const plan = `${begin}${quiet}file="$RUNNER_TEMP/plan.json"
status=0
"\${abiding[@]}" combinations run --plan --format json --output "$file" -- "$PROJECT" || status=$?
# Without a cell the status is 2, and the plan says why.
if [ ! -f "$file" ]; then exit "$(( status == 0 ? 2 : status ))"; fi
matrix=$("\${abiding[@]}" combinations ci --matrix "$file")
printf 'matrix=%s\\n' "$matrix" >> "$GITHUB_OUTPUT"
`;

const attempt = `${begin}${quiet}options=()
while IFS= read -r cell; do options+=("--only=$cell"); done <<< "$CELLS"
while IFS= read -r version; do options+=("--torch=$version"); done <<< "$TORCH"
report="$RUNNER_TEMP/report.json"
status=0
"\${abiding[@]}" combinations run --executor local --format json --output "$report" "\${options[@]}" -- "$PROJECT" || status=$?
if [ ! -f "$report" ]; then exit "$(( status == 0 ? 2 : status ))"; fi
mkdir -p -- "$RUNNER_TEMP/records"
records="$RUNNER_TEMP/records/records.jsonl"
"\${abiding[@]}" combinations ci --records "$report" --note "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID" > "$records"
if [ ! -s "$records" ]; then rm -- "$records"; fi
printf 'status=%s\\n' "$status" >> "$GITHUB_OUTPUT"
`;

const outcome = `if [ "$STATUS" != 0 ]; then
  echo "::error::A cell did not pass; the log of the step Try says which, and its own logs are an artifact of this run."
fi
exit "$STATUS"
`;

const merge = `${begin}${quiet}shopt -s globstar nullglob
files=("$RUNNER_TEMP"/records/**/*.jsonl)
if [ "\${#files[@]}" -eq 0 ]; then
  echo "No cell left a record."
  exit 0
fi
status=0
"\${abiding[@]}" combinations merge --into "$PROJECT" -- "\${files[@]}" || status=$?
"\${abiding[@]}" combinations publish --format markdown -- "$PROJECT" >> "$GITHUB_STEP_SUMMARY"
exit "$status"
`;

/** Somebody else may have pushed meanwhile; records of both stay, as .gitattributes has git merge them. */
const commit = `cd -- "$PROJECT"
git config user.name 'github-actions[bot]'
git config user.email '41898282+github-actions[bot]@users.noreply.github.com'
for file in "$RECORDS" "$(dirname -- "$RECORDS")/.gitattributes"; do
  if [ -f "$file" ]; then git add -- "$file"; fi
done
if git diff --cached --quiet; then
  echo "There is no new record."
  exit 0
fi
git commit --quiet --message 'Working combinations: what CI found'
for _ in 1 2 3; do
  if git push origin "HEAD:$GITHUB_REF_NAME"; then exit 0; fi
  git pull --quiet --rebase origin "$GITHUB_REF_NAME"
done
echo "::error::The records could not be pushed to $GITHUB_REF_NAME; they are an artifact of this run."
exit 1
`;

type Step = Readonly<Record<string, unknown>>;

/**
 * A workflow of GitHub Actions: a job plans the matrix by what indexes have on that day, one for each cell tries it and keeps its
 * records as an artifact, and the last one merges them. What comes from the project reaches scripts by the environment only: in
 * their text its quotes and $(...) would be obeyed.
 */
export function ciWorkflow({ abiding, project, records, schedule, runsOn, hasCommits, commits }: CiRequest): string {
  const isBuilt = "repository" in abiding;
  const checkout = (more: Step = {}): Step => ({ uses: actions.checkout, with: { path: workspace, "persist-credentials": false, ...(hasCommits ? { "fetch-depth": 0 } : {}), ...more } });
  const node: Step = { uses: actions.node, with: { "node-version": 24 } };
  const fetched: readonly Step[] = isBuilt ? [{ uses: actions.download, with: { name: "abiding", path: `${tool}/dist` } }] : [];
  const labels = runsOn.length === 1 ? runsOn[0] : runsOn;
  const workflow = {
    name: "combinations",
    on: { schedule: [{ cron: schedule }], workflow_dispatch: {} },
    permissions: { contents: "read" },
    concurrency: { group: "abiding-combinations", "cancel-in-progress": false },
    defaults: { run: { shell: "bash" } },
    env: {
      ABIDING_COMMAND: (isBuilt ? ["node", `${tool}/dist/cli.js`] : abiding.command).join("\n"),
      PROJECT: project === "." ? workspace : `${workspace}/${project}`,
    },
    jobs: {
      plan: {
        "runs-on": labels,
        "timeout-minutes": 30,
        outputs: { matrix: "${{ steps.plan.outputs.matrix }}" },
        steps: [
          checkout(),
          ...(isBuilt ? [{ uses: actions.checkout, with: { repository: abiding.repository, ...(abiding.ref === undefined ? {} : { ref: abiding.ref }), path: tool, "persist-credentials": false } }] : []),
          node,
          ...(isBuilt ? [
            { name: "Build Abiding", run: build },
            { uses: actions.upload, with: { name: "abiding", path: `${tool}/dist`, "retention-days": 1 } },
          ] : []),
          { name: "Plan", id: "plan", run: plan },
        ],
      },
      try: {
        needs: "plan",
        if: `\${{ needs.plan.outputs.matrix != '{"include":[]}' }}`,
        name: "${{ matrix.label }}",
        strategy: { "fail-fast": false, matrix: "${{ fromJSON(needs.plan.outputs.matrix) }}" },
        "runs-on": labels,
        "timeout-minutes": 180,
        steps: [
          checkout(), ...fetched, node,
          { if: "matrix.python != ''", uses: actions.python, with: { "python-version": "${{ matrix.python }}" } },
          { name: "Try", id: "try", env: { CELLS: "${{ matrix.cells }}", TORCH: "${{ matrix.torch }}" }, run: attempt },
          { name: "Keep the records", if: "always()", uses: actions.upload, with: { name: "combinations-records-${{ strategy.job-index }}", path: "${{ runner.temp }}/records", "if-no-files-found": "ignore" } },
          // Folders whose name begins with a dot are left out otherwise.
          { name: "Keep the logs", if: "always()", uses: actions.upload, with: { name: "combinations-logs-${{ strategy.job-index }}", path: `${workspace}/**/.abiding/local/combinations/*/cells/*/logs`, "include-hidden-files": true, "if-no-files-found": "ignore" } },
          { name: "Outcome", env: { STATUS: "${{ steps.try.outputs.status }}" }, run: outcome },
        ],
      },
      merge: {
        needs: ["plan", "try"],
        if: "${{ always() && needs.plan.result == 'success' && needs.try.result != 'skipped' }}",
        "runs-on": "ubuntu-24.04",
        "timeout-minutes": 30,
        ...(commits ? { permissions: { contents: "write" } } : {}),
        steps: [
          checkout(commits ? { "persist-credentials": true } : {}), ...fetched, node,
          { uses: actions.download, with: { pattern: "combinations-records-*", path: "${{ runner.temp }}/records" } },
          { name: "Merge", run: merge },
          { name: "Keep all records", if: "always()", uses: actions.upload, with: { name: "combinations", path: `${workspace}/${project === "." ? "" : `${project}/`}${records}`, "include-hidden-files": true, "if-no-files-found": "ignore" } },
          ...(commits ? [{ name: "Commit", env: { RECORDS: records }, run: commit }] : []),
        ],
      },
    },
  };
  return stringify(workflow, { lineWidth: 0, aliasDuplicateObjects: false });
}
