import { plans, type RunDiagnosis, type RunStatus } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import { isEnded, runIdOf } from '../run/run.ts'

/** The state of a run in the database. */
export type RunFacts = {
  id: string
  status: RunStatus
  /** It waits to be admitted. */
  queues: boolean
  attempt: number | null
  claims: number | null
  step: number | null
  created_at: Date | null
  progress_at: Date | null
  deadline_at: Date | null
  waiting_since: Date | null
  /** When a failed step is retried; null after that time. */
  retry_at: Date | null
  note: string | null
  finished_at: Date | null
  /** The engine has not acknowledged the order. */
  ordered: boolean
  /** The caller sees every run of the organisation. If not, the next two are of the runs that it sees. */
  sees_all: boolean
  position: number | null
  holders: readonly string[]
  used: number
  allowed: number
  /** The concurrency limit of its agent, when the run waits for it. Null: it does not. */
  agent_allows: number | null
  /** It is a run of a batch, in the line of batches. */
  waits_in_batch_line: boolean
  /** It waits for the limit of the demo key that created it, which is reached. */
  is_demo_limit_used: boolean
  actions: readonly string[]
}

/** Says what a run waits for, as a code and as a sentence. */
export const diagnose = (facts: RunFacts): RunDiagnosis => {
  const { waitingFor, message, since } = reasonOf(facts)
  return {
    run_id: runIdOf(facts.id),
    status: facts.status,
    waiting_for: waitingFor,
    message,
    since: since?.toISOString() ?? null,
    queue_position: facts.position,
    blocked_by: facts.holders.map(runIdOf),
    retry_at: facts.retry_at?.toISOString() ?? null,
    action_ids: facts.actions.map((id) => fromUuid('act', id)),
    last_progress_at: (facts.progress_at ?? facts.finished_at)?.toISOString() ?? null,
    next_deadline_at: facts.deadline_at?.toISOString() ?? null,
  }
}

type Reason = { waitingFor: RunDiagnosis['waiting_for']; message: string; since: Date | null }

const reasonOf = (facts: RunFacts): Reason => {
  const { status, progress_at: since } = facts
  if (isEnded(status)) {
    return { waitingFor: 'nothing', message: `The run has ended: ${status}.`, since: facts.finished_at }
  }
  if (status === 'cancelling') {
    return {
      waitingFor: 'worker',
      message: 'The run is being cancelled; it ends when its worker has stopped, or when the grace is over.',
      since,
    }
  }
  if (status === 'requires_action') {
    const count = facts.actions.length
    return {
      waitingFor: 'action',
      message: `The run waits for ${count === 1 ? 'a decision' : `${count} decisions`} by a person.`,
      since: facts.waiting_since,
    }
  }
  if (facts.queues) return { waitingFor: 'slot', message: slotMessage(facts), since }
  if (facts.ordered) {
    return { waitingFor: 'worker', message: 'The run may start; no worker has taken it yet.', since }
  }
  const step = (facts.step ?? 0) + 1
  if (facts.retry_at) {
    return {
      waitingFor: 'provider',
      message: `Step ${step} is tried again at ${facts.retry_at.toISOString()}: ${facts.note}`,
      since,
    }
  }
  return { waitingFor: 'provider', message: `Step ${step} is under way${interruptions(facts)}.`, since }
}

const interruptions = ({ claims }: RunFacts): string => {
  const before = (claims ?? 1) - 1
  if (before < 1) return ''
  return before === 1 ? ', after it was interrupted once' : `, after it was interrupted ${before} times`
}

const slotMessage = (facts: RunFacts): string => {
  const { used, allowed, agent_allows: agentAllows, position, sees_all: seesAll } = facts
  const inLine = `${position} in line${seesAll ? '' : ' among the runs that you see'}`
  if (facts.waits_in_batch_line)
    return `Runs of batches use the capacity that other runs leave: they start when no other run of the organisation waits, and leave a fifth of its ${allowed} concurrent runs free; ${inLine}.`
  if (facts.is_demo_limit_used)
    return `All ${plans.demo.concurrentRuns} runs that the demo key may have at once are under way; ${inLine}.`
  if (agentAllows !== null) {
    const runs = agentAllows === 1 ? 'The one run' : `All ${agentAllows} runs`
    return `${runs} that the agent may have at once (limits.max_concurrent_runs) ${agentAllows === 1 ? 'is' : 'are'} under way; ${inLine}.`
  }
  return used >= allowed
    ? `All ${allowed} runs that the organisation may have at once are under way; ${inLine}.`
    : `All slots of this installation are taken; ${inLine}${seesAll ? ' among the runs of the organisation' : ''}.`
}
