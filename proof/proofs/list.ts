import type { InputClass, Part, Proof } from './proof.ts'

/** A promise that a test of the gate proves: the path of its file without `.test.ts`. */
export type GatePromise = { section: string; promise: string; test: string }

/*
 * Every proof outside of the gate, in the order of docs/promises.md: its name, its minutes until there is a record (short size,
 * full size), and the promise; without one it is that of the line above. `gate:` names a test file instead.
 */
const table = `
## Runs
chaos-R1 2/2 A retry with the same idempotency key has one effect, whenever the first attempt was cut off
chaos-R2 2/1
chaos-R3 2/2
chaos-R4 2/1
chaos-R5 2/30 Every accepted run ends exactly once, whichever process is killed; a stored step is not executed again
chaos-R6 2/16 Frozen and partitioned processes lose nothing, and write nothing after they return
chaos-R9 2/2
chaos-R7 2/3 No run is stuck
chaos-R8 2/10 A cancelled run stops and stays cancelled
chaos-cancel-stream 2/1 A cancellation closes the connection to the model provider
chaos-R10 2/1 Restarts change no result, and a new release continues the runs of the previous one
chaos-R12 2/3
chaos-releases 2/1 A run finishes on the agent version with which it started
chaos-canary 2/2 A failing canary is rolled back automatically, once
chaos-R11 2/2 An action has one effect
chaos-tool-once 2/2 A tool call is not sent twice without a decision, unless the tool is safe to repeat
chaos-deadly-step 2/2 A step that kills its worker ends its own run and no other
chaos-pipelines 2/10 A pipeline run reaches its one end, with one completed run for each item and the output of an execution without faults
schedule-year 1/60 Every date of a schedule fires once or is skipped by its rule, over a year with changes of the clocks and killed workers
chaos-R23 2/3 A stream resumes without loss, at any gateway
chaos-R25 2/2
## Components
chaos-R28 2/1 Redis can be emptied or unavailable
chaos-hung-redis 2/2 A Redis that hangs delays nobody by more than a second
chaos-engine-disk 2/1 The engine can lose its disk
chaos-disk-full 2/8 Postgres can be unable to write: callers, probes, alerts and doctor say why, nothing is lost, and it heals without a restart
chaos-read-only 2/5
chaos-log-full 2/5 A log that cannot be written ends no process and fails no call
chaos-worker-moves 2/3 Runs under way continue when all workers move to another address; none waits longer than 30 s
gate:apps/server/test/worker-moves
bench-month 4/30 Partitions come and go under load without a failed request, and a day of 3.3 million runs is dropped within a minute
gate:apps/server/test/midnights
chaos-R22 2/20 Stopping a gateway fails no request
chaos-R21 2/16 Overload is rejected early and causes no damage; an exhausted connection pool fails fast
chaos-R26 2/1
## Webhooks
chaos-R13 2/2 Every event is delivered or has failed three times; its bytes and id never change
chaos-R14 2/1 Attempts follow the schedule, and only a complete 2xx response within 10 seconds counts
chaos-R15 2/3 A failing endpoint does not delay others
chaos-R16 2/1 A failing endpoint is disabled once, and all missed events can be recovered
chaos-recover 2/4
chaos-R17 2/1 Signatures are valid, also during a rotation
chaos-alerts 2/5 An alert fires once and resolves once, with all workers killed at each transition
## Limits and access
chaos-R18 3/22 Rate limits are exact over all gateways, and hold without Redis
chaos-R19 2/6
chaos-R20 2/12 A busy organisation does not slow down others
chaos-neighbours 2/5 Long runs of one organisation do not delay others while slots are free
chaos-R30 2/10 The monthly quota is counted exactly, whatever crashes
chaos-rollups 2/5 Figures of usage count each ended run once, under its agent, version and API key, whatever is killed
chaos-R31 2/1 A rotated key works for 24 hours, a revoked key stops within 5 seconds
gate:apps/server/test/credential-ends Every way in which a credential ends also ends its streams, waits and uploads within 5 seconds, with and without Redis
gate:packages/core/src/access/key-ends.service No key creates or extends anything beyond its own end
gate:packages/core/test/tenancy No query reads rows of another organisation
one-address 8 Every operation with every kind of credential keeps organisations apart as well with one database address, whose login is a superuser
## Disasters and changes
drill-failover 3/5 The loss of the database primary, of an engine node or of Redis loses no acknowledged run, ends none twice and repeats no effectful tool call
drill-restore 3/8 A restore beside an empty engine and an empty Redis continues every run that was acknowledged before its point
drill-upgrade 4/10 An upgrade and its roll-back under load lose no run, fail no call and leave no gap in a stream
drill-move 2/4 An organisation moves to another cell while it works, without a lost run or a gap in a stream
drill-majors 4/8 An installation goes from Postgres 15 to 17 without a lost run, and runs under way continue
drill-idle 3/9 One process of both roles, from the bundle, needs at most 350 MB and 3 % of a core while nothing happens
release 6 Every artefact of a release is built, installed and used
first-commands 6 The first commands of the README and the pages of the first hour work as printed, from packages, and lose no data
certificates 4 A gateway takes the certificate of an authority and renewed ones while it serves
image-and-compose 6 The image starts with Compose, and every process is replaced without a failed call
alerts 15 Every alert fires on its cause and ends with its cure, and the commands of its runbook work meanwhile
helm 4/25 The Helm chart renders valid objects, and is installed and upgraded on a real API server
workflows 1 The workflows of GitHub are valid
## Security
schemathesis 3/15 The service conforms to its OpenAPI document for arbitrary requests
timing 3/15 Response times leak no information to unauthenticated callers; of 10,000 password guesses, 10 are evaluated
timing-guesses 2/8
attacks-gateway 4/25 Hostile clients fail no request of others
attacks-redis 1/3 A program that writes to Redis changes no response and no limit
attacks-schemas 1/5 JSON Schemas of one organisation do not delay others
attacks-policies 6/20 The heaviest rules, schemas, expressions, pipelines and bodies of the smallest plan hold no event loop and delay nobody else
chaos-R39 2/3 Policies are never skipped: a check that cannot be made refuses with 503, and a change is atomic and in force after 5 s
chaos-forbidden-text 2/90 Text that a policy forbids is seen nowhere, however it is cut and whatever is killed
chaos-hostile-policies 2/3 No check of a policy delays other organisations
chaos-hostile-neighbour 6/30 What one organisation does in the background makes others wait no longer than twice, and a second
attacks-outgoing 2/6 No address, name or redirect of a customer reaches the internal network
## Clients and documents
pages 12 The pages of the dashboard work in a browser, through the whole service
guides 5 The shell blocks of all pages work, in their order
sdks 12 The SDKs pass their tests, the common transcripts and their examples; twelve programs from packages in an empty folder and the requests of the guides work in every language
generators 5 Clients that foreign generators write from the OpenAPI document create a run
## Cost and speed
bench-background 4/20 interactive runs beside a batch of 10,000 and beside 1,000 schedules, and a fan-out of 1,000 items
real-model 2/4 agents on a real model
bench-runs 3/16 a run compared with the bare engine
bench-runs-organisations 3/16 a run of 1,000 organisations in turn, compared with the bare engine
bench-many 4/17 1,000 organisations over two gateways without a deadlock, and one of them out of quota beside the others
admission-load 1/30 admission with 10,000 organisations in the queue
bench-capacity 3/6 the capacity model compared with real runs
bench-stream 4/30 an open stream
bench-auth 3/15 authentication and limits compared with bare Node
bench-webhooks 2/10 a webhook delivery compared with a bare loop
bench-webhooks-outpost 12/15 a webhook delivery compared with Outpost
bench-peers 20/30 runs of two steps compared with LangGraph, Hatchet and DBOS
bench-list 3/20 a list with five million runs
bench-analytics 3/30 figures of a month
bench-trial 2/5 a trial of a policy on 100,000 stored steps
large-results 1/3 32 results of 10 MiB that end together
bench-dashboard 4/12 the dashboard in an organisation with 100,000 runs
## Tests that find faults
mutants-named 10/60 A fast test fails for each fault that was planted once and has a name
mutants-drawn 20/90 The gate fails for at least 17 of 20 faults that a seed draws from the run path
## Tests outside of the gate
slow-server-a 8 Tests that stop parts, start processes, measure or wait
slow-server-e 8
slow-server-o 8
slow-server-s 8
slow-core 8
slow-platform 4
slow-cli 5
slow-rest 6
properties 20 Properties hold for random inputs, 5,000 for each
chaos 25 All scenarios of chaos on shared stacks
`

/*
 * The commands, by name or by the first word of the name; `*` is the rest of the name. A command of Vitest gets the files that match.
 * Columns: name | short | full | classes of inputs | other inputs | parts beside Node, Postgres, Redis and Restate | files
 */
const commands = String.raw`
chaos-* | pnpm chaos * --ci --seed {seed} | pnpm chaos * --full --seed {seed} | service | proof/chaos/
chaos-disk-full | pnpm chaos disk-full --ci --seed {seed} | pnpm chaos disk-full --full --seed {seed} | service | proof/chaos/ | root
chaos-log-full | pnpm chaos log-full --ci --seed {seed} | pnpm chaos log-full --full --seed {seed} | service | proof/chaos/ | root
chaos | pnpm chaos --ci --seed {seed} | | service | proof/chaos/
drill-* | pnpm drill * | pnpm drill * --full | service | proof/drill/ deploy/ha/
attacks-* | pnpm attacks * --ci | pnpm attacks * --full | service | proof/attacks/
attacks-gateway | pnpm attacks pressure framing ports --ci | pnpm attacks pressure framing ports --full | service | proof/attacks/ | root
attacks-outgoing | pnpm attacks outgoing --ci | pnpm attacks outgoing --full | service | proof/attacks/ | root
bench-* | pnpm bench * --quick | pnpm bench * | service | proof/bench/*/
bench-runs-organisations | pnpm bench runs --organisations 1000 --quick | pnpm bench runs --organisations 1000 | service | proof/bench/runs/
bench-many | pnpm bench many --quick | pnpm bench many --full | service | proof/bench/runs/
bench-capacity | pnpm bench capacity --measure --quick | pnpm bench capacity --measure | service | proof/bench/runs/
bench-peers | pnpm bench peers --quick | pnpm bench peers | service | proof/bench/runs/ | go python npm
bench-webhooks-outpost | pnpm bench webhooks --outpost --quick | pnpm bench webhooks --outpost | service | proof/bench/webhooks/ | go root
bench-auth | pnpm bench auth --quick | pnpm bench auth | service | proof/bench/auth/ | wrk
bench-dashboard | pnpm bench dashboard --quick | pnpm bench dashboard | service dashboard | proof/bench/dashboard/ | chromium
schemathesis | pnpm schemathesis --ci --seed {seed} | pnpm schemathesis --seed {seed} | service | proof/schemathesis/ | python
timing | pnpm timing --quick --seed {seed} | pnpm timing --seed {seed} | service | proof/timing/
timing-guesses | pnpm timing guesses --quick | pnpm timing guesses | service | proof/timing/
real-model | pnpm real-model --ci | pnpm real-model | service | proof/real-model/ | python
guides | pnpm guides | | service docs sdks | proof/guides/ proof/lab/page/ apps/cli/ | npm
sdks | pnpm sdks | | sdks | proof/sdks/ examples/ tools/gen/requests/ docs/guides/ docs/tutorials/ | go python npm chromium
generators | pnpm generators | | sdks | proof/generators/ | go python npm
first-commands | pnpm first-commands | | service dashboard sdks | proof/first-commands/ proof/lab/page/ apps/local/ tools/dev/ README.md docs/tutorials/ docs/guides/ | npm chromium
release | pnpm release --dry-run | | service dashboard sdks docs deploy | proof/release/ apps/ | go python npm root
certificates | pnpm certificates | | service deploy | proof/certificates/ deploy/certbot/ | go root
image-and-compose | proof/compose/run.sh | | service dashboard deploy | proof/compose/ | docker root
alerts | pnpm alerts | | service deploy | proof/alerts/ docs/runbooks/ | prometheus
helm | pnpm helm | pnpm helm --api-server | deploy | packages/core/src/config.ts | go
workflows | go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 | | | .github/workflows/ | go
mutants-named | pnpm mutants --named --pick 12 --seed {seed} | pnpm mutants --named | service | proof/mutants/ packages/ apps/server/ | npm
mutants-drawn | pnpm mutants --draw 6 | pnpm mutants | service | proof/mutants/ packages/ apps/server/ tools/gate/ | npm
slow-server-a | VITEST slow | | service | | | ^apps/server/test/[a-d].*\.slow\.test\.ts$
slow-server-e | VITEST slow | | service | | | ^apps/server/test/[e-n].*\.slow\.test\.ts$
slow-server-o | VITEST slow | | service | | | ^apps/server/test/[o-r].*\.slow\.test\.ts$
slow-server-s | VITEST slow | | service | | | ^apps/server/(test/[s-z]|(?!test/)).*\.slow\.test\.ts$
slow-core | VITEST slow | | service | | | ^packages/core/(?!.*/(schedule-year|large-results|admission-load)\.).*\.slow\.test\.ts$
slow-platform | VITEST slow | | service | | | ^packages/(?!core/).*\.slow\.test\.ts$
slow-cli | VITEST slow | | service | apps/cli/ sdks/typescript/src/ | shells | ^apps/cli/.*\.slow\.test\.ts$
slow-rest | VITEST slow | | service dashboard sdks docs deploy | tools/ proof/ | chromium go python npm | ^(apps/(?!server/|cli/)|sdks/|tools/|proof/).*\.slow\.test\.ts$
schedule-year | VITEST slow,fast | ARS_FULL_SIZE=true VITEST slow,fast | service | | | /schedule-year(\.slow)?\.test\.ts$
large-results | VITEST slow,fast | ARS_FULL_SIZE=true VITEST slow,fast | service | | | /large-results(\.slow)?\.test\.ts$
admission-load | VITEST slow,fast | ARS_FULL_SIZE=true VITEST slow,fast | service | | | /admission-load(\.slow)?\.test\.ts$
one-address | ARS_TEST_ONE_ADDRESS=true VITEST fast | | service | | | ^apps/server/test/access-matrix/.*\.test\.ts$
properties | ARS_PROPERTIES=random ARS_PROPERTIES_SEED={seed} VITEST fast,apart,slow | | service dashboard sdks | | | ^(packages|apps|sdks)/.*\.test\.ts$
pages | VITEST pages | | service dashboard | | chromium | ^apps/dashboard/e2e/.*\.test\.ts$
`

/** Only the properties are known by their text. */
const containing: Readonly<Record<string, string>> = { properties: 'fast-check' }

const wordsOf = <Word extends string>(text = ''): Word[] => text.split(' ').filter((word) => word !== '') as Word[]

const rows = new Map(
  commands
    .trim()
    .split('\n')
    .map((line) => line.split(/ \|(?= |$)/))
    .map(([name = '', ...cells]) => [name.trim(), cells.map((cell) => cell.trim())]),
)

const toProof = (name: string, rest: Pick<Proof, 'section' | 'promise' | 'minutes'>): Proof => {
  const [, kind, part = ''] = /^([a-z]+)-(.+)$/.exec(name) ?? []
  const row = rows.get(name) ?? rows.get(`${kind}-*`)?.map((cell) => cell.replace('*', part))
  if (!row) throw new Error(`proof/proofs/list.ts has no command for ${name}.`)
  const [short = '', full = '', classes, own, needs, files = ''] = row
  const text = containing[name]
  return {
    name,
    ...rest,
    short: inFull(short),
    ...(full !== '' && { full: inFull(full) }),
    ...(files !== '' && { files: { match: new RegExp(files), ...(text !== undefined && { containing: text }) } }),
    classes: wordsOf<InputClass>(classes),
    own: [...wordsOf(own), ...(files === '' ? ['proof/lab/'] : [])],
    needs: ['node', 'postgres', 'redis', 'restate', ...wordsOf<Part>(needs)],
  }
}

/** `VITEST a,b`: the projects a and b. */
const inFull = (command: string): string =>
  command.replace(/VITEST (\S+)/, (_, projects: string) =>
    ['pnpm exec vitest run', ...projects.split(',').map((name) => `--project ${name}`)].join(' '),
  )

const parse = (): { proofs: Proof[]; gatePromises: GatePromise[] } => {
  const found = { proofs: [] as Proof[], gatePromises: [] as GatePromise[] }
  let [section, promise] = ['', '']
  for (const line of table.trim().split('\n')) {
    const [, heading] = /^## (.+)$/.exec(line) ?? []
    section = heading ?? section
    if (heading !== undefined) continue
    const [, test, ofTest] = /^gate:(\S+) ?(.*)$/.exec(line) ?? []
    const [, name = '', short, full, ofProof] = /^(\S+) (\d+)(?:\/(\d+))? ?(.*)$/.exec(line) ?? []
    promise = ofTest || ofProof || promise
    if (test !== undefined) found.gatePromises.push({ section, promise, test })
    else {
      const minutes = { short: Number(short), ...(full !== undefined && { full: Number(full) }) }
      found.proofs.push(toProof(name, { section, promise, minutes }))
    }
  }
  const scenarios = found.proofs.map(({ name }) => name).filter((name) => name.startsWith('chaos-'))
  return {
    ...found,
    proofs: found.proofs.map((each) => (each.name === 'chaos' ? { ...each, plays: scenarios } : each)),
  }
}

export const { proofs, gatePromises } = parse()
