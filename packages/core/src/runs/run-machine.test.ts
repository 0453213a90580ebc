import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isEnded } from './run/run.ts'
import { admittedRuns, emptyMachine, type Machine, play } from './run-machine.fixture.ts'
import { type Draw, type Given, moveOf, remember, schedules } from './schedule.fixture.ts'

const slots = 2

const playAll = (
  concurrency: number | null,
  draws: readonly Draw[],
  look: (before: Machine, after: Machine) => void,
): Machine => {
  const given: Given = { orders: [], holdings: [], claims: 0 }
  let machine = emptyMachine(slots, concurrency)
  for (const draw of draws) {
    const move = moveOf(draw, machine, given)
    if (!move) continue
    const after = play(machine, move)
    remember(given, machine, after, move)
    look(machine, after)
    machine = after
  }
  return machine
}

const agents = [
  ['an agent without a limit', null],
  ['an agent that may have one run at once', 1],
] as const

test.each(agents)(
  'under crashes, duplicates and delays with %s: an end is final, the feed has no gap, and only admitted runs are in flight, within the limits',
  (_, concurrency) => {
    let schedulesPlayed = 0
    let ends = 0
    fc.assert(
      fc.property(schedules({ minLength: 20, maxLength: 120 }), (draws) => {
        schedulesPlayed++
        const last = playAll(concurrency, draws, (before, after) => {
          for (const [at, run] of before.runs.entries()) if (isEnded(run.status)) expect(after.runs[at]).toEqual(run)
          expect(admittedRuns(after)).toBeLessThanOrEqual(concurrency ?? slots)
          for (const { status, isAdmitted, waits } of after.runs) {
            if (isAdmitted) expect(['queued', 'running', 'cancelling']).toContain(status)
            if (status === 'cancelling') expect(isAdmitted).toBe(true)
            if (status === 'running' || status === 'queued') expect(isAdmitted).toBe(!waits)
          }
        })
        for (const run of last.runs) {
          expect(run.seq).toBe(run.events.length)
          expect(run.terminalEvents).toBe(isEnded(run.status) ? 1 : 0)
          ends += run.terminalEvents
        }
      }),
    )
    // Schedules in which no run ends would prove nothing.
    expect(ends).toBeGreaterThan(schedulesPlayed / 2)
  },
)

test.each(agents)('an undisturbed run of %s ends: admitted, claimed and finished, or cancelled', (_, concurrency) => {
  fc.assert(
    fc.property(schedules({ minLength: 10, maxLength: 60 }), (draws) => {
      let machine = playAll(concurrency, draws, () => undefined)
      for (let round = 0; machine.runs.some(({ status }) => !isEnded(status)) && round < 50; round++) {
        machine = play(machine, { kind: 'admit' })
        for (const at of machine.runs.keys()) machine = finishAlone(machine, at)
      }
      expect(machine.runs.filter(({ status }) => !isEnded(status))).toEqual([])
      expect(admittedRuns(machine)).toBe(0)
    }),
  )
})

/** The moves of the reconciler, a worker and a person for an undisturbed run. */
const finishAlone = (machine: Machine, at: number): Machine => {
  let next = play(machine, { kind: 'decide', run: at })
  next = play(next, { kind: 'resubmit', run: at })
  const run = next.runs[at]
  if (!run) return next
  if (run.status === 'cancelling') return play(next, { kind: 'confirm', run: at, epoch: run.epoch })
  const order = { epoch: run.epoch, segment: run.segment, step: run.step + 1 }
  const newClaim = (run.claim ?? 0) + 1
  if (!run.waits) next = play(next, { kind: 'claim', run: at, order, claim: newClaim })
  const claimed = next.runs[at]
  if (!claimed) return next
  const holding = { ...order, attempt: claimed.attempt, claim: newClaim, messagesRead: claimed.messages }
  return claimed.waits ? next : play(next, { kind: 'finish', run: at, holding })
}
