import type { ProofSize } from '../lab/report/keep.ts'
import { numbersOfName } from '../lab/report/spec-tag.ts'
import { isOld } from './choose.ts'
import type { Proof } from './proof.ts'
import type { ProofRecord, RecordedClaim } from './record.ts'

export const maxCommitsBack = 400
const maxOpenFlakes = 10

export type World = {
  proofs: readonly Proof[]
  records: ReadonlyMap<string, ProofRecord>
  /** Hash of the inputs of a proof in the tree. */
  inputsOf(proof: Proof): string
  /** How many commits back the first change of its inputs lies that no play has seen. */
  unplayedBack(proof: Proof, record: ProofRecord): number
  known: readonly Known[]
}

/** Everything for which the gate fails. */
export const faultsOf = (world: World): string[] => {
  const recorded = world.proofs.filter(({ plays }) => plays === undefined)
  const names = new Set(recorded.map(({ name }) => name))
  const broken = recorded.flatMap((proof) => brokenOf(proof.name, world.records.get(proof.name) ?? {}))
  const isKnown = ({ proof, says }: Broken): boolean =>
    world.known.some((line) => line.proof === proof && line.claim === says)
  return [
    ...recorded.flatMap((proof) => {
      const record = world.records.get(proof.name)
      if (!record?.short && !record?.full) return [`${proof.name} has no record: pnpm proofs play ${proof.name}`]
      const back = isOld(record, world.inputsOf(proof)) ? world.unplayedBack(proof, record) : 0
      return back > maxCommitsBack
        ? [`${proof.name} has not been played since a change of its inputs ${back} commits ago`]
        : []
    }),
    ...[...world.records.keys()]
      .filter((name) => !names.has(name))
      .map((name) => `proof/records/${name}.json belongs to no proof of proof/proofs/list.ts`),
    ...broken
      .filter((each) => each.kind === 'claim' || !isKnown(each))
      .map(
        ({ proof, size, kind, says, value }) =>
          `${proof} (${size}): ${says}: ${value}${kind === 'claim' ? '' : '; proof/known.md has no line for it'}`,
      ),
    ...world.known
      .filter(
        ({ proof, claim }) =>
          !broken.some((each) => each.proof === proof && each.says === claim && each.kind === 'measured'),
      )
      .map(({ proof, claim }) => `proof/known.md: no play of ${proof} has missed "${claim}"`),
    ...world.known
      .filter(({ value, cause }) => value === '' || cause === '')
      .map(({ proof, claim }) => `proof/known.md: "${claim}" of ${proof} needs a value and a cause`),
  ]
}

type Broken = RecordedClaim & { proof: string; size: ProofSize }

/** Both sizes count: each record is the newest play of its size. */
const brokenOf = (proof: string, record: ProofRecord): Broken[] =>
  (['short', 'full'] as const).flatMap((size) =>
    (record[size]?.claims ?? []).filter(({ holds }) => !holds).map((each) => ({ ...each, proof, size })),
  )

/** `fastLines`: the lines of the contract that a test of the gate proves. */
export const faultsOfFlakes = (flakes: readonly Flake[], fastLines: ReadonlySet<string>): string[] => {
  const open = flakes.filter((flake) => flake.open)
  return [
    ...(open.length > maxOpenFlakes
      ? [`proof/flakes.jsonl has ${open.length} open lines, at most ${maxOpenFlakes} are allowed`]
      : []),
    ...open.flatMap(({ test }) =>
      [...numbersOfName(test.slice(test.indexOf('[S') === -1 ? 0 : test.indexOf('[S')))]
        .filter((line) => !fastLines.has(line))
        .map((line) => `proof/flakes.jsonl: "${test}" was the only fast test of ${line}`),
    ),
  ]
}

/** A measured claim that is missed, with the cause. */
export type Known = { proof: string; claim: string; value: string; cause: string }

/** The rows of the table in `proof/known.md`. A `|` inside a cell is written `\|`. */
export const parseKnown = (page: string): Known[] =>
  page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) => {
      const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
      const [, proof = '', claim = '', value = '', cause = ''] = cells
      return { proof: proof.replaceAll('`', ''), claim, value, cause }
    })

/** A fast test that failed without a defect and became slow. */
export type Flake = {
  test: string
  commit: string
  load: number
  why: string
  moved_to: string
  open: boolean
}

export const parseFlakes = (text: string): Flake[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Flake)
