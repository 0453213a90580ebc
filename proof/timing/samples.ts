import type { ApiCall, ApiCaller } from '../lab/client/api-caller.ts'
import type { Random } from '../lab/random.ts'

/** A kind of request, made anew for each sample, and the only answer that it may get. */
export type Class = {
  name: string
  status: number
  ask(): ApiCall
}

/** By the name of the class: how long each answer took, in milliseconds, in the order in which they were asked for. */
export type Samples = Map<string, number[]>

/**
 * This many samples of each class over one connection, one after the other. Each round contains every class once, in a
 * random order, so that drift on the machine and effects of one request on the next meet all classes alike.
 */
export const takeSamples = async (
  caller: ApiCaller,
  classes: readonly Class[],
  { count, random }: { count: number; random: Random },
): Promise<Samples> => {
  const samples: Samples = new Map(classes.map(({ name }) => [name, []]))
  for (let round = -warmUpRounds(count); round < count; round++) {
    for (const { name, status, ask } of random.shuffle(classes)) {
      const call = ask()
      const from = performance.now()
      const answer = await caller.call(call)
      const tookMs = performance.now() - from
      if (answer.status !== status) {
        throw new Error(`${name}: expected ${status}, got ${answer.status}: ${answer.text}`)
      }
      if (round >= 0) samples.get(name)?.push(tookMs)
    }
  }
  return samples
}

/** Until programs are compiled and pages are read. */
export const warmUpRounds = (count: number): number => Math.max(5, Math.ceil(count / 20))
