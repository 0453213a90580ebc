import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readRepository, repositoryRoot } from '@ars/tools/tidy/repository'
import { describe, expect, test } from 'vitest'
import { scenarios } from '../chaos/registry.ts'
import { claim, measured } from '../lab/report/outcome.ts'
import { byWaiting, groupsOf, isOld, sampleMinutes, sampleOf, seedOf } from './choose.ts'
import { type Flake, faultsOf, faultsOfFlakes, type Known, maxCommitsBack, parseFlakes, parseKnown } from './judge.ts'
import { gatePromises, proofs } from './list.ts'
import { pageOf } from './page.ts'
import { dirtOf, toPlays, withEnd } from './play.ts'
import { inputTestOf, isForGate, type Proof, parseCommand } from './proof.ts'
import { type Play, type ProofRecord, toRecordedClaim, verdictOf } from './record.ts'
import { firstChangeBack, hashOf, type Tree } from './tree.ts'
import { linesOfTests, outcomeOfTests, type VitestReport } from './vitest-outcome.ts'

const proof: Proof = {
  name: 'chaos-R1',
  section: 'Runs',
  promise: 'a promise',
  short: 'pnpm chaos R1 --ci',
  full: 'pnpm chaos R1 --full',
  classes: ['service'],
  own: ['proof/chaos/', 'proof/lab/'],
  needs: ['node', 'postgres'],
  minutes: { short: 2, full: 20 },
}
const held = claim('nothing is lost', true, 'nothing')
const lost = claim('nothing is lost', false, 'a run')
const late = measured('it ends in time', false, '9 s, at most 5')

const playOf = (claims: Parameters<typeof toRecordedClaim>[0][], more: Partial<Play> = {}): Play => ({
  inputs: 'now',
  verdict: verdictOf(claims.map(toRecordedClaim)),
  commit: 'c0ffee1234',
  date: '2026-11-19T05:00:00Z',
  minutes: 1,
  load: 0.5,
  tools: {},
  claims: claims.map(toRecordedClaim),
  metrics: [],
  ...more,
})

const judged = (record: ProofRecord | undefined, { known = [] as Known[], back = 0, inputs = 'now' } = {}): string[] =>
  faultsOf({
    proofs: [proof],
    records: new Map(record ? [[proof.name, record]] : []),
    inputsOf: () => inputs,
    unplayedBack: () => back,
    known,
  })

describe('the inputs of a proof', () => {
  const hash = (files: Record<string, string>) =>
    hashOf({ files: new Map(Object.entries(files)) }, inputTestOf(proof, { find: () => [] }))
  const files = { 'packages/core/src/run.ts': 'a1', 'proof/chaos/main.ts': 'b2' }

  test.for([
    ['another content', { ...files, 'proof/chaos/main.ts': 'c3' }],
    ['another name', { 'packages/core/src/runs.ts': 'a1', 'proof/chaos/main.ts': 'b2' }],
    ['one file more', { ...files, 'db/migrations/0001_a.sql': 'd4' }],
    ['one file less', { 'proof/chaos/main.ts': 'b2' }],
  ] as const)('have another hash with %s', ([, changed]) => {
    expect(hash(changed)).not.toBe(hash(files))
  })

  test('keep their hash when files change that do not decide the verdict', () => {
    const others = {
      'proof/records/chaos-R1.json': 'e5',
      'docs/promises.md': 'e5',
      'CHANGELOG.md': 'e5',
      'packages/core/src/run.test.ts': 'e5',
      'apps/dashboard/src/main.tsx': 'e5',
      'proof/drill/main.ts': 'e5',
    }
    expect(hash({ ...files, ...others })).toBe(hash(files))
  })

  test('of a group of tests are its test files and the support of tests', () => {
    const isInput = inputTestOf(
      { ...proof, own: [], files: { match: /x/ } },
      { find: () => ['packages/core/src/a.slow.test.ts'] },
    )
    expect(isInput('packages/core/src/a.slow.test.ts')).toBe(true)
    expect(isInput('apps/server/test/app.ts')).toBe(true)
    expect(isInput('packages/core/src/b.test.ts')).toBe(false)
    expect(inputTestOf(proof, { find: () => [] })('apps/server/test/app.ts')).toBe(false)
  })
})

describe('the check', () => {
  test('passes with a held play of the files of the tree', () => {
    expect(judged({ short: playOf([held]) })).toEqual([])
  })

  test('fails without a record', () => {
    expect(judged(undefined)).toEqual(['chaos-R1 has no record: pnpm proofs play chaos-R1'])
  })

  test('allows an old record until its first unplayed change lies too far back', () => {
    const record = { short: playOf([held]) }
    expect(judged(record, { inputs: 'later', back: maxCommitsBack })).toEqual([])
    expect(judged(record, { inputs: 'later', back: maxCommitsBack + 1 })).toEqual([
      'chaos-R1 has not been played since a change of its inputs 401 commits ago',
    ])
  })

  test('fails for a broken claim of either size, also if it is known', () => {
    const known = [{ proof: 'chaos-R1', claim: 'nothing is lost', value: 'a run', cause: 'bad luck' }]
    expect(judged({ short: playOf([lost]) })).toEqual(['chaos-R1 (short): nothing is lost: a run'])
    expect(judged({ short: playOf([held]), full: playOf([lost]) }, { known })).toContain(
      'chaos-R1 (full): nothing is lost: a run',
    )
  })

  test('fails for a missed bar that nobody explains, and for an explanation without a miss', () => {
    const known = [{ proof: 'chaos-R1', claim: 'it ends in time', value: '9 s', cause: 'two slow cores' }]
    expect(judged({ short: playOf([held, late]) })).toEqual([
      'chaos-R1 (short): it ends in time: 9 s, at most 5; proof/known.md has no line for it',
    ])
    expect(judged({ short: playOf([held, late]) }, { known })).toEqual([])
    expect(judged({ short: playOf([held]) }, { known })).toEqual([
      'proof/known.md: no play of chaos-R1 has missed "it ends in time"',
    ])
  })

  test('fails for a record that belongs to no proof', () => {
    const world = { inputsOf: () => 'now', unplayedBack: () => 0, known: [] }
    const records = new Map([['gone', { short: playOf([held]) }]])
    expect(faultsOf({ ...world, proofs: [], records })).toHaveLength(1)
  })

  test('the first unplayed change is counted from the newest commit', () => {
    const history = [['README.md'], ['proof/chaos/main.ts'], ['docs/a.md'], ['proof/chaos/main.ts']]
    const isInput = (path: string) => path.startsWith('proof/chaos/')
    expect(
      firstChangeBack(
        history.map((files) => ({ files })),
        isInput,
      ),
    ).toBe(3)
    expect(firstChangeBack([{ files: ['README.md'] }], isInput)).toBe(0)
  })

  test('reads the table of known misses', () => {
    const page =
      '# Known\n\n| proof | claim | value | cause |\n|---|---|---|---|\n| `drill-move` | a \\| b | 9 | slow |\n'
    expect(parseKnown(page)).toEqual([{ proof: 'drill-move', claim: 'a | b', value: '9', cause: 'slow' }])
  })
})

describe('flakes', () => {
  const flake = (test: string, open = true): Flake => ({ test, commit: 'c', load: 1, why: 'w', moved_to: 'm', open })

  test('of ten tests may be open', () => {
    const flakes = Array.from({ length: 11 }, () => flake('a.test.ts > it ends'))
    expect(faultsOfFlakes(flakes.slice(1), new Set())).toEqual([])
    expect(faultsOfFlakes(flakes, new Set())).toEqual(['proof/flakes.jsonl has 11 open lines, at most 10 are allowed'])
    expect(faultsOfFlakes([...flakes.slice(1), flake('b', false)], new Set())).toEqual([])
  })

  test('may not take the only fast test of a line of the contract', () => {
    const flakes = parseFlakes(`${JSON.stringify(flake('a.test.ts > [S41] a run can be cancelled'))}\n`)
    expect(faultsOfFlakes(flakes, new Set(['S41']))).toEqual([])
    expect(faultsOfFlakes(flakes, new Set(['S40']))).toHaveLength(1)
  })
})

describe('a sample', () => {
  const many = Array.from({ length: 40 }, (_, n): Proof => ({ ...proof, name: `p${n}` }))
  const minutesOf = (n: number): number => 0.3 + (n % 7) * 0.5
  const records = new Map(many.map(({ name }, n) => [name, { short: playOf([held], { minutes: minutesOf(n) }) }]))
  const hashes = Array.from({ length: 50 }, (_, n) => `${n}c0ffee0`)

  test.for(hashes)('of tree %s takes at most three recorded minutes', (hash) => {
    const chosen = sampleOf(many, records, hash)
    expect(chosen.length).toBeGreaterThan(0)
    expect(chosen.reduce((sum, { name }) => sum + (records.get(name)?.short.minutes ?? 0), 0)).toBeLessThanOrEqual(
      sampleMinutes,
    )
  })

  test('leaves jobs of about an hour for a workflow', () => {
    const groups = groupsOf(many, records, 20)
    expect(groups.flatMap((names) => names.split(' ')).toSorted()).toEqual(many.map(({ name }) => name).toSorted())
    expect(groups.length).toBe(4)
  })

  test('is the same for the same tree and differs between trees', () => {
    const names = (hash: string) => sampleOf(many, records, hash).map(({ name }) => name)
    expect(names('a1b2c3d4')).toEqual(names('a1b2c3d4'))
    expect(new Set(hashes.map((hash) => names(hash).join())).size).toBeGreaterThan(20)
    expect(seedOf('a1b2c3d4')).toBe(seedOf('a1b2c3d4'))
  })

  test('has only recorded proofs that need no more than the gate installs', () => {
    const withDocker: Proof = { ...proof, name: 'p0', needs: ['node', 'docker'] }
    expect(isForGate(withDocker)).toBe(false)
    expect(sampleOf([withDocker, { ...proof, name: 'unrecorded' }], records, 'a1b2c3d4')).toEqual([])
  })
})

describe('a play', () => {
  const tree: Tree = { root: '/', commit: 'c0ffee1234', hash: 'a1', files: new Map(), find: () => [] }
  const ended = (status: number | null, isLate = false) => ({
    proof,
    size: 'short' as const,
    end: { status, isLate },
    limitMinutes: 30,
  })
  const kept = (claims: (typeof held)[]) => ({
    proof: 'chaos-R1',
    size: 'short' as const,
    outcome: { claims, metrics: [] },
  })

  test('is failed by a broken claim, missed by a measured one, and passed otherwise', () => {
    expect(
      [playOf([held]), playOf([held, late]), playOf([held, late, lost]), playOf([])].map((one) => one.verdict),
    ).toEqual(['passed', 'missed', 'failed', 'failed'])
  })

  test('of a program without an outcome is one claim from its exit status', () => {
    const says = 'the program ends with status 0'
    expect(withEnd([], ended(0))[0]?.outcome.claims).toEqual([{ says, violations: [] }])
    expect(withEnd([], ended(3))[0]?.outcome.claims).toEqual([{ says, violations: ['status 3'] }])
  })

  test('that ends badly although all its claims hold is failed; broken claims explain the end', () => {
    expect(withEnd([kept([held])], ended(1))[0]?.outcome.claims).toHaveLength(2)
    expect(withEnd([kept([late])], ended(1))[0]?.outcome.claims).toEqual([late])
    expect(withEnd([kept([held])], ended(null, true))[0]?.outcome.claims.at(-1)?.isMeasured).toBe(true)
  })

  test('becomes a record with claims by kind and their values, also when it is red', () => {
    const [one] = toPlays(
      proof,
      { kept: [{ ...kept([lost, measured('p99', true, '3 ms, at most 5')]), seed: '7' }], minutes: 1.26, load: 0.5 },
      { tree, proofs: [proof], records: new Map() },
    )
    expect(one).toMatchObject({ name: 'chaos-R1', size: 'short', play: { verdict: 'failed', seed: '7', minutes: 1.3 } })
    expect(one?.play.claims).toEqual([
      { says: 'nothing is lost', kind: 'claim', holds: false, value: 'a run' },
      { says: 'p99', kind: 'measured', holds: true, value: '3 ms, at most 5' },
    ])
  })

  test('that went on where another one ended has the minutes of both', () => {
    const more = { tree, proofs: [proof], records: new Map() }
    const minutes = toPlays(proof, { kept: [{ ...kept([held]), minutes: 31.04 }], minutes: 1.26, load: 0.5 }, more)
    expect(minutes[0]?.play.minutes).toBe(31)
  })

  test('keeps little of many violations', () => {
    const found = toRecordedClaim({ says: 'x', violations: Array.from({ length: 500 }, () => 'y'.repeat(900)) })
    expect(found.value?.length).toBeLessThan(700)
  })

  test('leaves no record in a tree with changes; records and the generated page are none', () => {
    const results = ['proof/records/chaos-R1.json', 'docs/promises.md', 'CHANGELOG.md', 'proof/known.md']
    expect(dirtOf('/', results)).toEqual([])
    expect(dirtOf('/', [...results, 'packages/core/src/run.ts'])).toEqual(['packages/core/src/run.ts'])
  })

  test('is chosen by how long it waited, never played ones first', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ ...proof, name })) as [Proof, Proof, Proof]
    const records = new Map([
      ['a', { short: playOf([held], { date: '2026-11-19T05:00:00Z' }) }],
      ['b', { short: playOf([held], { date: '2026-11-18T05:00:00Z' }) }],
    ])
    expect(byWaiting([a, b, c], records, 'short')).toEqual([c, b, a])
    expect(isOld(records.get('a'), 'now')).toBe(false)
    expect(isOld(records.get('a'), 'later')).toBe(true)
  })
})

test('a play of Vitest has a claim for each file, measured if the file reads a clock, and the lines that it proves', () => {
  const assertion = (title: string, status = 'passed') => ({ ancestorTitles: [], title, fullName: title, status })
  const report: VitestReport = {
    testResults: [
      {
        name: '/r/apps/a.slow.test.ts',
        status: 'failed',
        assertionResults: [assertion('[S1] x'), assertion('[S2] y', 'failed')],
      },
      { name: '/r/apps/b.slow.test.ts', status: 'failed', message: 'no such module\n at', assertionResults: [] },
      { name: '/r/apps/c.slow.test.ts', status: 'passed', assertionResults: [assertion('[S2] z')] },
    ],
  }
  const textOf = (path: string) => (path.includes('/a.') ? "import 'node:perf_hooks'" : '')
  expect(outcomeOfTests(report, { root: '/r', textOf }).claims).toMatchObject([
    { says: 'apps/a.slow.test.ts', violations: ['[S2] y'], isMeasured: true },
    { says: 'apps/b.slow.test.ts', violations: ['no such module'] },
    { says: 'apps/c.slow.test.ts', violations: [], value: '1 tests' },
  ])
  expect(linesOfTests(report, '/r')).toEqual(['S1'])
})

describe('the page of promises', () => {
  const page = (record: ProofRecord | undefined, files: string[] = []) =>
    pageOf({
      proofs: [proof],
      gatePromises: [{ section: 'Runs', promise: 'another promise', test: 'packages/core/test/tenancy' }],
      records: new Map(record ? [[proof.name, record]] : []),
      known: [{ proof: 'chaos-R1', claim: 'it ends in time', value: '9 s', cause: 'two slow cores' }],
      hasFile: (path) => files.includes(path),
    })

  test('has verdict, commit, date and size of both plays, and what was missed with its cause', () => {
    expect(page({ short: playOf([held]), full: playOf([held, late]) })).toContain(
      [
        '| a promise | `pnpm chaos R1 --full` | full | missed | `c0ffee123` | 2026-11-19 | it ends in time: 9 s, at most 5. two slow cores |',
        '|  | `pnpm chaos R1 --ci` | short | passed | `c0ffee123` | 2026-11-19 |  |',
      ].join('\n'),
    )
  })

  test('says what was never played, and what the gate plays', () => {
    expect(page(undefined)).toContain('| a promise | `pnpm chaos R1 --ci` |  | not played yet |')
    expect(page(undefined, ['packages/core/test/tenancy.test.ts'])).toContain('| in every run of the gate |')
  })
})

describe('the list', () => {
  const paths = readRepository().map(({ path }) => path)

  test('has a proof for every scenario, bench and drill', () => {
    const names = new Set(proofs.map(({ name }) => name))
    expect(proofs.filter(({ name }) => name.startsWith('chaos-'))).toHaveLength(scenarios.length)
    const bench = readFileSync(join(repositoryRoot, 'proof/bench/main.ts'), 'utf8')
    const benches = [...bench.matchAll(/^ {2}(\w+): \{$/gm)].map(([, name]) => `bench-${name}`)
    const experiments = [...scenarios.map(({ name }) => `chaos-${name}`), ...benches]
    expect(experiments.filter((name) => !names.has(name))).toEqual([])
    expect(benches.length).toBeGreaterThan(10)
    expect(names.size).toBe(proofs.length)
  })

  test('plays every slow test and every page in exactly one proof', () => {
    const groups = proofs.filter(({ files }) => files && !files.containing)
    const outside = paths.filter((path) => /\.slow\.test\.tsx?$|^apps\/dashboard\/e2e\/.*\.test\.ts$/.test(path))
    const sharesOf = (path: string) => groups.filter(({ files }) => files?.match.test(path)).map(({ name }) => name)
    expect(outside.map((path) => [path, sharesOf(path)] as const).filter(([, names]) => names.length !== 1)).toEqual([])
  })

  test('names inputs and scripts that exist', () => {
    const scripts = Object.keys(JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')).scripts)
    for (const { name, own, short, full = short } of proofs) {
      const missing = own.filter((each) => !each.startsWith('.github/') && !paths.some((path) => path.startsWith(each)))
      expect({ name, missing }).toEqual({ name, missing: [] })
      for (const { program, args } of [short, full].map(parseCommand)) {
        if (program === 'pnpm') expect([...scripts, 'exec']).toContain(args[0])
      }
    }
  })

  test('names a test of the gate, or one that became slow, for each other promise', () => {
    const isThere = ({ test: path }: (typeof gatePromises)[number]) =>
      paths.includes(`${path}.test.ts`) || paths.includes(`${path}.slow.test.ts`)
    expect(gatePromises.filter((each) => !isThere(each))).toEqual([])
  })

  test('every experiment with a folder has a proof', () => {
    const apart = ['lab', 'proofs', 'records', 'spec', 'schema', 'document', 'parts', 'smoke']
    const folders = readdirSync(join(repositoryRoot, 'proof'), { withFileTypes: true })
    const experiments = folders.filter((each) => each.isDirectory() && !apart.includes(each.name))
    const owned = new Set(proofs.flatMap(({ own }) => own.map((path) => path.split('/')[1])))
    expect(experiments.map(({ name }) => name).filter((name) => name !== 'node_modules' && !owned.has(name))).toEqual(
      [],
    )
  })
})
