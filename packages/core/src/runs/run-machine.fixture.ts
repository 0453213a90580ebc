import type { RunStatus } from '@ars/contract'
import { canMove, isEnded } from './run/run.ts'

/**
 * The run as a machine without clock, database or network: a second description of what each store statement does.
 * Tests play schedules on it and compare the stores with it.
 */
export type Machine = {
  readonly slots: number
  /** How many runs of the agent may be in flight. Null: as many as there are slots. */
  readonly concurrency: number | null
  readonly runs: readonly MachineRun[]
}

export type MachineRun = {
  status: RunStatus
  epoch: number
  segment: number
  attempt: number
  /** The id of its newest claim. */
  claim: number | null
  /** Steps stored. */
  step: number
  claims: number
  seq: number
  /** The events of the feed, in order. */
  events: string[]
  /** It waits to be admitted. */
  waits: boolean
  /** It counts against the limits. */
  isAdmitted: boolean
  messages: number
  openActions: number
  /** The engine was notified of this segment. */
  orders: Order[]
  terminalEvents: number
}

export type Order = { epoch: number; segment: number; step: number }
/** The claim that a worker holds; it may be outdated. */
export type Holding = Order & { attempt: number; claim: number; messagesRead: number }

export type Move =
  | { kind: 'accept' }
  | { kind: 'admit' }
  | { kind: 'claim'; run: number; order: Order; claim: number }
  | { kind: 'delta'; run: number; holding: Holding }
  | { kind: 'store'; run: number; holding: Holding }
  | { kind: 'finish'; run: number; holding: Holding }
  | { kind: 'fail'; run: number; holding: Holding }
  | { kind: 'park'; run: number; holding: Holding }
  | { kind: 'hand_over'; run: number; holding: Holding }
  | { kind: 'message'; run: number }
  | { kind: 'decide'; run: number }
  | { kind: 'cancel'; run: number }
  | { kind: 'confirm'; run: number; epoch: number }
  | { kind: 'overdue'; run: number }
  | { kind: 'resubmit'; run: number }

export const emptyMachine = (slots: number, concurrency: number | null): Machine => ({ slots, concurrency, runs: [] })

export const admittedRuns = (machine: Machine): number => machine.runs.filter(({ isAdmitted }) => isAdmitted).length

/** The machine after a move. A move that does not apply changes nothing: this is the compare-and-set. */
export const play = (machine: Machine, move: Move): Machine => {
  // The transaction that accepts a run also admits what may start.
  if (move.kind === 'accept') return admit({ ...machine, runs: [...machine.runs, newRun()] })
  if (move.kind === 'admit') return admit(machine)
  const run = machine.runs[move.run]
  if (!run) return machine
  const changed = structuredClone(run)
  moveRun(changed, move)
  return { ...machine, runs: machine.runs.map((each, at) => (at === move.run ? changed : each)) }
}

const newRun = (): MachineRun => ({
  status: 'queued',
  epoch: 1,
  segment: 1,
  attempt: 0,
  claim: null,
  step: 0,
  claims: 0,
  seq: 1,
  events: ['run.created'],
  waits: true,
  isAdmitted: false,
  messages: 0,
  openActions: 0,
  orders: [],
  terminalEvents: 0,
})

/** The oldest first, so that a resumed run comes before younger ones. */
const admit = (machine: Machine): Machine => {
  const runs = machine.runs.map((run) => structuredClone(run))
  const most = Math.min(machine.slots, machine.concurrency ?? machine.slots)
  for (const run of runs.filter(({ waits }) => waits).slice(0, Math.max(0, most - admittedRuns(machine)))) {
    run.waits = false
    run.isAdmitted = true
    run.orders.push({ epoch: run.epoch, segment: run.segment, step: run.step + 1 })
  }
  return { ...machine, runs }
}

const tell = (run: MachineRun, ...events: string[]): void => {
  run.events.push(...events)
  run.seq += events.length
}

const goTo = (run: MachineRun, status: RunStatus): void => {
  if (run.status !== status && !canMove(run.status, status)) throw new Error(`${run.status} → ${status}`)
  run.status = status
}

const end = (run: MachineRun, status: 'completed' | 'failed' | 'cancelled'): void => {
  goTo(run, status)
  run.waits = false
  run.isAdmitted = false
  run.orders = []
  run.terminalEvents++
  tell(run, `run.${status}`)
}

const holds = (run: MachineRun, { epoch, attempt, claim, step }: Holding): boolean =>
  run.status === 'running' &&
  run.epoch === epoch &&
  run.attempt === attempt &&
  run.claim === claim &&
  run.step === step - 1

type RunMove = Exclude<Move, { kind: 'accept' | 'admit' }>
type Moves = {
  [Kind in RunMove['kind']]: (run: MachineRun, move: Extract<RunMove, { kind: Kind }>) => void
}

const moveRun = (run: MachineRun, move: RunMove): void => {
  if (!isEnded(run.status)) moves[move.kind](run, move as never)
}

const moves: Moves = {
  claim: (run, { order, claim }) => claimRun(run, order, claim),
  // A delta carries no step: while the attempt is the newest, it belongs to this step.
  delta: (run, { holding }) => {
    if (holds(run, { ...holding, step: run.step + 1 })) tell(run, 'run.output.delta')
  },
  store: (run, { holding }) => {
    if (!holds(run, holding)) return
    run.step++
    run.claims = 0
    tell(run, 'run.step.completed')
  },
  finish: (run, { holding }) => {
    if (!holds(run, holding) || run.messages > holding.messagesRead) return
    tell(run, 'run.step.completed')
    end(run, 'completed')
  },
  fail: (run, { holding }) => {
    if (holds(run, holding)) end(run, 'failed')
  },
  park: (run, { holding }) => {
    if (!holds(run, holding)) return
    goTo(run, 'requires_action')
    Object.assign(run, { isAdmitted: false, waits: false, openActions: 1, claims: 0 })
    tell(run, 'run.requires_action')
  },
  hand_over: (run, { holding }) => {
    if (!holds(run, { ...holding, step: holding.step + 1 })) return
    run.segment++
    run.orders.push({ epoch: run.epoch, segment: run.segment, step: run.step + 1 })
  },
  message: (run) => {
    if (run.status !== 'cancelling') run.messages++
  },
  decide: (run) => decide(run),
  cancel: (run) => {
    if (run.status === 'cancelling') return
    const isUnderWay = run.status === 'running' && !run.waits
    if (run.status === 'running') goTo(run, 'cancelling')
    // A resumed run that waits to be admitted is running by name only.
    if (isUnderWay) tell(run, 'run.cancelling')
    else end(run, 'cancelled')
  },
  confirm: (run, { epoch }) => {
    if (run.status === 'cancelling' && run.epoch === epoch) end(run, 'cancelled')
  },
  overdue: (run) => end(run, run.status === 'cancelling' ? 'cancelled' : 'failed'),
  resubmit: (run) => {
    if ((run.status !== 'queued' && run.status !== 'running') || run.waits) return
    run.epoch++
    run.orders = [{ epoch: run.epoch, segment: run.segment, step: run.step + 1 }]
  },
}

const claimRun = (run: MachineRun, order: Order, claim: number): void => {
  const fits = run.epoch === order.epoch && run.segment === order.segment && run.step === order.step - 1
  if (!fits || (run.status !== 'queued' && run.status !== 'running')) return
  goTo(run, 'running')
  // The claim was made already, and its answer was lost.
  if (run.claim === claim) return
  run.claim = claim
  run.attempt++
  run.claims++
  run.orders = run.orders.filter(({ epoch, segment }) => epoch !== order.epoch || segment !== order.segment)
  if (run.attempt === 1) tell(run, 'run.started')
  tell(run, run.claims === 1 ? 'run.step.started' : 'run.output.reset')
}

const decide = (run: MachineRun): void => {
  if (run.status !== 'requires_action' || run.openActions === 0) return
  run.openActions = 0
  goTo(run, 'running')
  run.segment++
  run.waits = true
  tell(run, 'run.resumed')
}
