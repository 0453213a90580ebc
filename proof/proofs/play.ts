import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Kept, outcomeVariable, type ProofSize } from '../lab/report/keep.ts'
import { type Claim, claim, measured } from '../lab/report/outcome.ts'
import { loadAverage } from '../lab/report/progress.ts'
import { commandOf, inputTestOf, isNoInput, type Proof, parseCommand, testFilesOf, withSeed } from './proof.ts'
import { type Play, type ProofRecord, toMetrics, toRecordedClaim, verdictOf } from './record.ts'
import { toolsOf } from './tools.ts'
import { hashOf, readChanges, type Tree } from './tree.ts'
import { linesOfTests, outcomeOfTests, type VitestReport } from './vitest-outcome.ts'

/** What one play left: its outcomes, and the lines of the contract that its tests prove. */
export type Played = { kept: readonly Kept[]; lines?: readonly string[]; minutes: number; load: number }

/** A play that takes this multiple of its minutes hangs. */
const patience = 5
const leastPatienceMinutes = 30

type How = { tree: Tree; size: ProofSize; seed: string; minutes: number }

/** Starts the command of a proof and collects its outcomes. It writes nothing into the tree. */
export const playProof = async (proof: Proof, { tree, size, seed, minutes }: How): Promise<Played> => {
  const dir = mkdtempSync(join(tmpdir(), 'ars-proof-'))
  const [outcomeFile, reportFile] = [join(dir, 'outcome.jsonl'), join(dir, 'vitest.json')]
  const command = commandOf(proof, size)
  const { program, args, env } = parseCommand(withSeed(command, seed))
  const files = testFilesOf(proof, tree)
  if (proof.files && files.length === 0) {
    const outcome = { claims: [claim('there are test files', false, 'none')], metrics: [] }
    return { kept: [{ proof: proof.name, size, outcome }], minutes: 0, load: loadAverage() }
  }
  const ofVitest = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`, ...files]
  const more = args.includes('vitest') ? ofVitest : []
  const load = loadAverage()
  const begunMs = performance.now()
  try {
    const limitMinutes = Math.max(leastPatienceMinutes, patience * minutes)
    const end = await start(program, [...args, ...more], {
      cwd: tree.root,
      env: { ...process.env, ...env, [outcomeVariable]: outcomeFile },
      limitMs: limitMinutes * 60_000,
    })
    const took = { minutes: (performance.now() - begunMs) / 60_000, load }
    if (args.includes('vitest') && existsSync(reportFile)) {
      const report = JSON.parse(readFileSync(reportFile, 'utf8')) as VitestReport
      const textOf = (path: string): string => readFileSync(join(tree.root, path), 'utf8')
      const outcome = outcomeOfTests(report, { root: tree.root, textOf })
      const usedSeed = command.includes('{seed}') && { seed }
      const kept = withEnd([{ proof: proof.name, size, ...usedSeed, outcome }], { proof, size, end, limitMinutes })
      return { kept, lines: linesOfTests(report, tree.root), ...took }
    }
    const lines = existsSync(outcomeFile) ? readFileSync(outcomeFile, 'utf8').trim().split('\n') : []
    const kept = lines.map((line) => JSON.parse(line) as Kept)
    return { kept: withEnd(kept, { proof, size, end, limitMinutes }), ...took }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

type End = { status: number | null; isLate: boolean }

const start = async (
  program: string,
  args: readonly string[],
  { cwd, env, limitMs }: { cwd: string; env: NodeJS.ProcessEnv; limitMs: number },
): Promise<End> => {
  // A group, so that whatever it started ends with it.
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'], detached: true })
  const stop = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid) process.kill(-child.pid, signal)
    } catch {
      // The group has ended.
    }
  }
  const forward = (signal: NodeJS.Signals): void => {
    stop(signal)
    process.exit(130)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, forward)
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    stop('SIGTERM')
    setTimeout(() => stop('SIGKILL'), 20_000).unref()
  }, limitMs)
  const [status] = await once(child, 'exit').catch((): [null] => [null])
  stop('SIGTERM')
  clearTimeout(timer)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, forward)
  return { status, isLate }
}

/** The end of the program is a claim if no outcome explains it. */
export const withEnd = (
  kept: readonly Kept[],
  { proof, size, end, limitMinutes }: { proof: Proof; size: ProofSize; end: End; limitMinutes: number },
): Kept[] => {
  const own = proof.plays ?? [proof.name]
  const expected = kept.filter((each) => own.includes(each.proof))
  const ends: Claim = end.isLate
    ? measured('the program ends', false, `not after ${limitMinutes} minutes`)
    : claim('the program ends with status 0', end.status === 0, `status ${end.status ?? 'none: it was killed'}`)
  const isExplained = end.status === 0 || expected.some(({ outcome }) => outcome.claims.some(isBroken))
  const missing = own.filter((name) => !expected.some((each) => each.proof === name))
  const lost = proof.plays ? [claim('the program hands in an outcome', false, 'none')] : []
  return [
    ...expected.map((each) =>
      isExplained && !end.isLate
        ? each
        : { ...each, outcome: { ...each.outcome, claims: [...each.outcome.claims, ends] } },
    ),
    ...missing.map((name): Kept => ({ proof: name, size, outcome: { claims: [ends, ...lost], metrics: [] } })),
  ]
}

const isBroken = ({ violations }: Claim): boolean => violations.length > 0

/** The plays to record. The minutes of a proof that shared a play are unknown, so it keeps those that it had. */
export const toPlays = (
  proof: Proof,
  played: Played,
  { tree, proofs, records }: { tree: Tree; proofs: readonly Proof[]; records: ReadonlyMap<string, ProofRecord> },
): { name: string; size: ProofSize; play: Play }[] =>
  played.kept.flatMap(({ proof: name, size, seed, minutes: ofParts = 0, outcome }) => {
    const of = proofs.find((each) => each.name === name)
    if (!of) throw new Error(`proof/proofs/list.ts has no proof ${name}.`)
    const claims = outcome.claims.map(toRecordedClaim)
    const ofPlay = Math.max(played.minutes, ofParts)
    const minutes = proof.plays ? (records.get(name)?.[size]?.minutes ?? of.minutes[size] ?? 0) : ofPlay
    const play: Play = {
      inputs: hashOf(tree, inputTestOf(of, tree)),
      verdict: verdictOf(claims),
      commit: tree.commit,
      date: new Date().toISOString().slice(0, 19).concat('Z'),
      minutes: Math.round(minutes * 10) / 10,
      ...(seed !== undefined && { seed }),
      load: Math.round(played.load * 10) / 10,
      tools: toolsOf(of.needs),
      claims,
      metrics: toMetrics(outcome),
      ...(played.lines && played.lines.length > 0 && { lines: played.lines }),
    }
    return [{ name, size, play }]
  })

/** The changes that forbid a record. */
export const dirtOf = (root: string, changes: readonly string[] = readChanges(root)): string[] =>
  changes.filter((path) => !isNoInput(path))
