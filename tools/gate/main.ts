import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { changedFiles } from '../check/snapshot.ts'
import { graphOf, type Packages, type Tree } from './graph.ts'

const help = `pnpm gate [--affected]: what every change must pass.

  without options   .ci/run: installation, check, fast tests, smoke, chaos, records of proofs
  --affected        only the fast tests that can see a change, the nearest first; says what it left out
  --since <commit>  the change is everything since this commit; otherwise since the branch left main, on main since the last commit
  --list            names the tests and plays none
  --bail            ends with the first failure
`

const root = join(import.meta.dirname, '../..')
/** What decides about every test. */
const decidesAll =
  /^(package\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|vitest\.config\.ts|tsconfig\.json|\.node-version)$|^tools\/dev\//
/** Tests this near to the change are played first: most defects show here, after seconds. */
const near = 2

const git = (...args: string[]): string[] =>
  spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 })
    .stdout.split('\0')
    .filter(Boolean)

const readTree = (): Tree =>
  new Map(
    git('ls-files', '-z', '--cached', '--others', '--exclude-standard')
      .filter((path) => existsSync(join(root, path)))
      .map((path) => [path, /\.[cm]?[jt]sx?$/.test(path) ? readFileSync(join(root, path), 'utf8') : '']),
  )

const packagesOf = (tree: Tree): Packages =>
  new Map(
    [...tree.keys()]
      .filter((path) => path.endsWith('/package.json'))
      .map((path) => {
        const { name, exports } = JSON.parse(readFileSync(join(root, path), 'utf8'))
        return [name, { folder: dirname(path), exports }]
      }),
  )

const projects = ['fast', 'apart', 'dashboard'] as const
const isFast = (path: string): boolean => !/\.slow\.test\.ts$|^apps\/dashboard\/e2e\//.test(path)

const play = (files: readonly string[], more: readonly string[]): number => {
  if (files.length === 0) return 0
  const chosen = projects.flatMap((project) => ['--project', project])
  const { status } = spawnSync('pnpm', ['exec', 'vitest', 'run', ...chosen, ...more, ...files], {
    cwd: root,
    stdio: 'inherit',
  })
  return status ?? 1
}

const affected = (since: string | undefined, isList: boolean, isBail: boolean): number => {
  const changed = since ? git('diff', '-z', '--name-only', '--no-renames', since) : changedFiles(root)
  const tree = readTree()
  const tests = [...tree.keys()].filter((path) => /\.test\.tsx?$/.test(path) && isFast(path))
  const all = changed.find((path) => decidesAll.test(path))
  const seen = graphOf(tree, packagesOf(tree)).seeing(changed)
  const chosen = all === undefined ? tests.filter((path) => seen.has(path)) : tests
  console.log(`${changed.length} files changed. ${chosen.length} of ${tests.length} files of fast tests can see that.`)
  if (all !== undefined) console.log(`${all} decides about every test.`)
  console.log(
    `Left out: ${tests.length - chosen.length} files of fast tests, and all recorded proofs (pnpm proofs play --affected).`,
  )
  const first = chosen.filter((path) => (seen.get(path) ?? Number.POSITIVE_INFINITY) <= near)
  const rest = chosen.filter((path) => !first.includes(path))
  if (isList) {
    for (const path of [...first, ...rest]) console.log(`  ${seen.get(path) ?? ''}  ${path}`)
    return 0
  }
  const more = isBail ? ['--bail=1'] : []
  return play(first, more) || play(rest, more)
}

const { values } = parseArgs({
  options: {
    affected: { type: 'boolean', default: false },
    since: { type: 'string' },
    list: { type: 'boolean', default: false },
    bail: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (values.help) console.log(help)
else if (values.affected) process.exitCode = affected(values.since, values.list, values.bail)
else process.exitCode = spawnSync(join(root, '.ci/run'), { cwd: root, stdio: 'inherit' }).status ?? 1
