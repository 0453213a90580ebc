import { randomInt } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readRepository, repositoryRoot as root } from '@ars/tools/tidy/repository'
import type { ProofSize } from '../lab/report/keep.ts'
import { isOutsideGate, isPublicTest, numbersIn } from '../lab/report/spec-tag.ts'
import { byWaiting, groupsOf, isOld, minutesOf, sampleOf, seedOf } from './choose.ts'
import { faultsOf, faultsOfFlakes, maxCommitsBack, parseFlakes, parseKnown } from './judge.ts'
import { gatePromises, proofs } from './list.ts'
import { pageOf } from './page.ts'
import { dirtOf, playProof, toPlays } from './play.ts'
import { commandOf, inputTestOf, type Proof, withSeed } from './proof.ts'
import { newestOf, type ProofRecord, readRecords, recordPath, toRecordedClaim, writeRecord } from './record.ts'
import { branchPoint, changedSince, firstChangeBack, hashOf, historyReader, readTree } from './tree.ts'

const help = `pnpm proofs: the proofs outside of the gate, and what their last plays found.

  pnpm proofs                       a row for each proof
  pnpm proofs play <name...>        plays these proofs and writes their records
    --affected                      instead, those whose inputs have changed on this branch
    --since <commit>                with --affected: since this commit
    --stale                         instead, those without a play of the files that they have now
    --minutes <n>                   begins no further proof after this time
    --full                          the full size, where there is one
  pnpm proofs check                 what the gate asks: lists old records; fails for missing, broken and unexplained ones
  pnpm proofs judge <name...>       plays these proofs without a record and fails for broken claims, not for measured ones
  pnpm proofs sample                the same with proofs of at most three minutes, chosen by the hash of the tree
  pnpm proofs groups                the proofs as jobs for machines that play at the same time, for a workflow
  pnpm proofs page                  writes docs/promises.md

Proofs that waited longest are played first. A record is written only if the tree has no changes.
`
/** Of one job of a workflow. */
const groupMinutes = 60
const promisesPage = join(root, 'docs/promises.md')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    affected: { type: 'boolean', default: false },
    since: { type: 'string' },
    stale: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
const [command = 'list', ...names] = positionals
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const tree = readTree(root)
const recorded = proofs.filter(({ plays }) => plays === undefined)
const inputsOf = (proof: Proof): string => hashOf(tree, inputTestOf(proof, tree))
const known = parseKnown(read('proof/known.md'))
const historyOf = historyReader(root)
const page = (): string =>
  pageOf({ proofs, gatePromises, records: readRecords(root), known, hasFile: (path) => tree.files.has(path) })

const list = (): number => {
  const records = readRecords(root)
  for (const proof of recorded) {
    const record = records.get(proof.name) ?? {}
    const newest = newestOf(record)
    const state = isOld(record, inputsOf(proof)) ? 'old' : ''
    const age = newest ? `${historyOf(newest.commit, recordPath(proof.name)).length} commits` : 'never played'
    const cells = [record.short?.verdict ?? '-', record.full?.verdict ?? (proof.full ? '-' : ''), age]
    const minutes = `${minutesOf(proof, records, 'short')} min`
    console.log(
      [proof.name.padEnd(26), ...cells.map((cell) => cell.padEnd(12)), minutes.padEnd(9), newest ? state : '']
        .join(' ')
        .trimEnd(),
    )
  }
  return 0
}

const unplayedBack = (proof: Proof, record: ProofRecord): number => {
  const isInput = inputTestOf(proof, tree)
  const plays = [record.short, record.full].filter((play) => play !== undefined)
  return Math.min(...plays.map(({ commit }) => firstChangeBack(historyOf(commit, recordPath(proof.name)), isInput)))
}

const check = (): number => {
  const records = readRecords(root)
  const old = recorded.filter((proof) => records.has(proof.name) && isOld(records.get(proof.name), inputsOf(proof)))
  for (const proof of old) {
    const back = unplayedBack(proof, records.get(proof.name) ?? {})
    console.log(
      `old: ${proof.name}, ${minutesOf(proof, records, 'short')} min, changed ${back} of ${maxCommitsBack} commits ago`,
    )
  }
  const fastTests = readRepository().filter(({ path }) => isPublicTest(path) && !isOutsideGate(path))
  const fastLines = new Set(fastTests.flatMap(({ text }) => [...numbersIn(text)]))
  const faults = [
    ...faultsOf({ proofs, records, known, inputsOf, unplayedBack }),
    ...faultsOfFlakes(parseFlakes(read('proof/flakes.jsonl')), fastLines),
    ...(page() === read('docs/promises.md') ? [] : ['docs/promises.md differs from the records: pnpm proofs page']),
  ]
  for (const fault of faults) console.log(`fault: ${fault}`)
  const minutes = old.reduce((sum, proof) => sum + minutesOf(proof, records, 'short'), 0)
  console.log(
    `${recorded.length} proofs, ${old.length} with an old record (${Math.round(minutes)} minutes), ${faults.length} faults`,
  )
  return faults.length > 0 ? 1 : 0
}

const named = (): Proof[] => {
  const unknown = names.filter((name) => !proofs.some((proof) => proof.name === name))
  if (unknown.length > 0) throw new Error(`There is no proof ${unknown.join(', ')}. \`pnpm proofs\` lists them.`)
  return names.flatMap((name) => proofs.find((proof) => proof.name === name) ?? [])
}

const chosenOf = (size: ProofSize): Proof[] => {
  if (names.length > 0) return named()
  if (!values.affected && !values.stale) throw new Error('Name proofs, or choose --affected or --stale.')
  const records = readRecords(root)
  const old = recorded.filter((proof) => isOld(records.get(proof.name), inputsOf(proof)))
  const changed = values.affected ? changedSince(root, values.since ?? branchPoint(root)) : []
  const isAffected = (proof: Proof): boolean => changed.some(inputTestOf(proof, tree))
  return byWaiting(values.affected ? old.filter(isAffected) : old, records, size)
}

const play = async (): Promise<number> => {
  const size: ProofSize = values.full ? 'full' : 'short'
  const chosen = chosenOf(size)
  const untilMs = performance.now() + Number(values.minutes ?? Number.POSITIVE_INFINITY) * 60_000
  let failed = 0
  for (const proof of chosen.filter((each) => size === 'short' || each.full !== undefined)) {
    if (performance.now() > untilMs) {
      console.log(`The time is used up before ${proof.name}.`)
      break
    }
    console.log(`\n== ${proof.name}: ${commandOf(proof, size)}`)
    const dirt = dirtOf(root)
    const records = readRecords(root)
    const seed = String(randomInt(1, 2 ** 31))
    const played = await playProof(proof, { tree, size, seed, minutes: minutesOf(proof, records, size) })
    const isClean = dirt.length === 0 && dirtOf(root).length === 0 && readTree(root).commit === tree.commit
    for (const one of toPlays(proof, played, { tree, proofs, records })) {
      console.log(`-- ${one.name}, ${one.size}: ${one.play.verdict}, ${one.play.minutes} minutes`)
      if (one.play.verdict === 'failed') failed++
      if (isClean) writeRecord(root, one.name, { ...records.get(one.name), [one.size]: one.play })
    }
    if (!isClean)
      console.log(
        `No record is written, because the tree has changes: ${[...dirt, ...dirtOf(root)].slice(0, 3).join(', ')}`,
      )
  }
  writeFileSync(promisesPage, page())
  return failed > 0 ? 1 : 0
}

/** Measured claims are printed. The seed is that of the tree, so that the same tree is judged by the same play. */
const judge = async (chosen: readonly Proof[]): Promise<number> => {
  const records = readRecords(root)
  const seed = seedOf(tree.hash)
  const broken: string[] = []
  for (const proof of chosen) {
    const again = proof.files ? `pnpm proofs judge ${proof.name}` : withSeed(commandOf(proof, 'short'), seed)
    console.log(`\n== ${proof.name}: ${again}`)
    const { kept } = await playProof(proof, { tree, size: 'short', seed, minutes: minutesOf(proof, records, 'short') })
    for (const { says, kind, holds, value } of kept.flatMap(({ outcome }) => outcome.claims).map(toRecordedClaim)) {
      if (holds) continue
      console.log(`-- ${proof.name}: ${says}: ${value}${kind === 'measured' ? ' (measured, not judged)' : ''}`)
      if (kind === 'claim') broken.push(`${proof.name}: ${says}. Repeat it with: ${again}`)
    }
  }
  for (const line of broken) console.log(line)
  return broken.length > 0 ? 1 : 0
}

const commands: Readonly<Record<string, () => number | Promise<number>>> = {
  list,
  check,
  play,
  judge: () => judge(named()),
  sample: () => judge(sampleOf(proofs, readRecords(root), tree.hash)),
  groups: () => {
    console.log(`groups=${JSON.stringify(groupsOf(recorded, readRecords(root), groupMinutes))}`)
    return 0
  },
  page: () => {
    writeFileSync(promisesPage, page())
    return 0
  },
}

const run = commands[command]
if (values.help || !run) {
  console.log(help)
  process.exitCode = values.help ? 0 : 2
} else {
  process.exitCode = await run()
}
