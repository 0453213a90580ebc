import { createHash } from 'node:crypto'
import type { ProofSize } from '../lab/report/keep.ts'
import { isForGate, type Proof } from './proof.ts'
import type { ProofRecord } from './record.ts'

type Records = ReadonlyMap<string, ProofRecord>

export const sampleMinutes = 3

/** The proofs of a sample: a function of the tree and the records. `minutes` are those of the short record. */
export const sampleOf = (proofs: readonly Proof[], records: Records, treeHash: string): Proof[] => {
  const minutesOf = ({ name }: Proof): number => records.get(name)?.short?.minutes ?? Number.POSITIVE_INFINITY
  const orderOf = ({ name }: Proof): string => createHash('sha256').update(`${treeHash}/${name}`).digest('hex')
  const chosen: Proof[] = []
  let left = sampleMinutes
  for (const proof of proofs.filter(isForGate).toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))) {
    if (proof.plays || minutesOf(proof) > left) continue
    chosen.push(proof)
    left -= minutesOf(proof)
  }
  return chosen
}

/** Of the proofs of the sample; a number that every program takes. */
export const seedOf = (treeHash: string): string => String(Number.parseInt(treeHash.slice(0, 7), 16) + 1)

/** First those that were never played at this size, then those that waited longest. */
export const byWaiting = (proofs: readonly Proof[], records: Records, size: ProofSize): Proof[] => {
  const dateOf = ({ name }: Proof): string => records.get(name)?.[size]?.date ?? ''
  return proofs.toSorted((one, other) => dateOf(one).localeCompare(dateOf(other)))
}

export const minutesOf = (proof: Proof, records: Records, size: ProofSize): number =>
  records.get(proof.name)?.[size]?.minutes || (proof.minutes[size] ?? 0)

/** No play of the files that it has now. */
export const isOld = (record: ProofRecord | undefined, inputs: string): boolean =>
  record === undefined || ![record.short, record.full].some((play) => play?.inputs === inputs)

/** The proofs as jobs of about `most` minutes, for machines that play them at the same time. */
export const groupsOf = (proofs: readonly Proof[], records: Records, most: number): string[] => {
  const total = proofs.reduce((sum, proof) => sum + minutesOf(proof, records, 'short'), 0)
  const groups = Array.from({ length: Math.ceil(total / most) }, () => ({ minutes: 0, names: [] as string[] }))
  const byLength = proofs.toSorted((a, b) => minutesOf(b, records, 'short') - minutesOf(a, records, 'short'))
  for (const proof of byLength) {
    const [least] = groups.toSorted((a, b) => a.minutes - b.minutes)
    least?.names.push(proof.name)
    if (least) least.minutes += minutesOf(proof, records, 'short')
  }
  return groups.map(({ names }) => names.join(' '))
}
