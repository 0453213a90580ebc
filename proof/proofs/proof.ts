import type { ProofSize } from '../lab/report/keep.ts'
import type { Tree } from './tree.ts'

/** One recorded proof. */
export type Proof = {
  readonly name: string
  /** Its place in `docs/promises.md`. */
  readonly section: string
  readonly promise: string
  /** The commands: words, with settings such as `ARS_FULL_SIZE=true` before them; the runner chooses `{seed}`. */
  readonly short: string
  readonly full?: string
  /** Of a proof of Vitest: its test files, which are appended to the command. */
  readonly files?: { readonly match: RegExp; readonly containing?: string }
  readonly classes: readonly InputClass[]
  /** Files and folders that decide its verdict beside the classes and the test files. */
  readonly own: readonly string[]
  readonly needs: readonly Part[]
  /** Until there is a record. */
  readonly minutes: { readonly short: number; readonly full?: number }
  /** It plays these proofs together, at their short size, and has no record. */
  readonly plays?: readonly string[]
}

export type InputClass = 'service' | 'dashboard' | 'sdks' | 'docs' | 'deploy'

/** `go`, `python` and `npm` also fetch packages. `root`: it makes namespaces or images. */
export type Part =
  | 'node'
  | 'postgres'
  | 'redis'
  | 'restate'
  | 'chromium'
  | 'go'
  | 'python'
  | 'npm'
  | 'wrk'
  | 'shells'
  | 'root'
  | 'docker'
  | 'prometheus'

/** The parts that the gate installs. */
const gateParts: readonly Part[] = ['node', 'postgres', 'redis', 'restate', 'chromium']

export const isForGate = ({ needs }: Proof): boolean => needs.every((part) => gateParts.includes(part))

const classes: Readonly<Record<InputClass, RegExp>> = {
  service: /^(packages|apps\/server|db|catalog|tools\/dev)\/|^(models\.yaml|pnpm-lock\.yaml)$/,
  dashboard: /^(apps\/dashboard|sdks\/typescript\/src)\/|^packages\/contract\/openapi\.json$/,
  sdks: /^sdks\/|^packages\/contract\/openapi\.json$/,
  docs: /^(docs\/(?!adr\/|screens\/)|examples\/|skills\/)|^README\.md$/,
  deploy: /^(deploy|tools\/(image|release|helm))\//,
}

const isTest = /\.test\.tsx?$/
const isSupport = /^(apps|packages)\/.*\/(test|e2e)\/|\.(fixture|slow)\.tsx?$|^packages\/testkit\//
/** Written by the runner, or without an effect on any proof. */
const isResult = /^proof\/(records\/|known\.md$|(flakes|gate)\.jsonl$)|^docs\/promises\.md$|^CHANGELOG\.md$/

/** A change of these files leaves the tree clean and every record valid. */
export const isNoInput = (path: string): boolean => isResult.test(path)

/** Tests are inputs of the proofs that play them; their support files are inputs of every proof of Vitest. */
export const inputTestOf = (proof: Proof, tree: Pick<Tree, 'find'>): ((path: string) => boolean) => {
  const files = new Set(testFilesOf(proof, tree))
  return (path) => {
    if (isNoInput(path)) return false
    if (files.has(path) || proof.own.some((each) => path.startsWith(each))) return true
    if (isTest.test(path)) return false
    if (isSupport.test(path) || path === 'vitest.config.ts') return proof.files !== undefined
    return proof.classes.some((name) => classes[name].test(path))
  }
}

export const testFilesOf = ({ files }: Proof, tree: Pick<Tree, 'find'>): string[] =>
  files === undefined ? [] : tree.find(files.match, files.containing)

export const commandOf = (proof: Proof, size: ProofSize): string => {
  const command = proof[size]
  if (command === undefined) throw new Error(`${proof.name} has no ${size} size.`)
  return command
}

export const withSeed = (command: string, seed: string): string => command.replace('{seed}', seed)

/** `ARS_FULL_SIZE=true pnpm exec vitest run` as a program with arguments and settings. */
export const parseCommand = (command: string): { program: string; args: string[]; env: Record<string, string> } => {
  const words = command.split(' ')
  const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word))
  const [program = '', ...args] = words.slice(first)
  return { program, args, env: Object.fromEntries(words.slice(0, first).map((word) => word.split('=', 2))) }
}
