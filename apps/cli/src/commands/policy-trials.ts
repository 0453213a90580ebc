import type { PolicyTrial } from '@agent-run-service/sdk'
import { type Command, InvalidArgumentError } from 'commander'
import { findAgentId } from '../agent-name.ts'
import { withExamples } from '../describe.ts'
import { exitCodes } from '../exit-code.ts'
import { followJob, tellJobs } from '../job.ts'
import { type PageOptions, pageOf, withPaging } from '../list.ts'
import { readMoment } from '../moment.ts'
import { acting, type Session } from '../session.ts'
import { statusStyle, type Terminal } from '../terminal.ts'

const examplePolicy = 'pol_01kf3xw0fqe1vrr9m8sdv2wbx4'
const exampleTrial = 'ptr_01kf3xw0fqe1vrr9m8sdv2wbx4'

export const addTrialCommands = (policies: Command): void => {
  withExamples(
    policies
      .command('try <id>')
      .description('try a policy on past runs, and show what it would have done')
      .option('--since <time>', 'start of the window: 2h, 7d or a date and time', '30d')
      .option('--until <time>', 'end of the window (default now)')
      .option('--agent <agent>', 'only runs of this agent, by id or name')
      .option('--sample <runs>', 'the most runs to look at', readNumber)
      .option('--max-cost-usd <usd>', 'make remote checks too, up to this cost', readNumber)
      .option('--no-wait', 'do not wait until it ends')
      .action(acting(tryPolicy)),
    `ars policies try ${examplePolicy} --since 30d`,
    `ars policies try ${examplePolicy} --since 7d --agent billing-assistant`,
  )
  withExamples(
    withPaging(policies.command('trials <id> [trial]').description('list the trials of a policy, or show one')).action(
      acting(listTrials),
    ),
    `ars policies trials ${examplePolicy}`,
    `ars policies trials ${examplePolicy} ${exampleTrial}`,
  )
  withExamples(
    policies
      .command('cancel-trial <id> <trial>')
      .description('cancel a trial; it keeps what it has counted')
      .action(acting(cancelTrial)),
    `ars policies cancel-trial ${examplePolicy} ${exampleTrial}`,
  )
}

const readNumber = (given: string): number => {
  const value = Number(given)
  if (given.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('It must be a number.')
  return value
}

type TryOptions = {
  since: string
  until?: string
  agent?: string
  sample?: number
  maxCostUsd?: number
  wait: boolean
}

const tryPolicy = async (session: Session, id: string, options: TryOptions) => {
  const { terminal, signal } = session
  const client = session.client()
  const now = Date.now()
  const begun = await client.policyTrials.create(
    id,
    {
      since: readMoment(options.since, now),
      ...(options.until !== undefined && { until: readMoment(options.until, now) }),
      ...(options.agent !== undefined && { agent_id: await findAgentId(client, options.agent, signal) }),
      ...(options.sample !== undefined && { sample: options.sample }),
      ...(options.maxCostUsd !== undefined && { max_cost_usd: options.maxCostUsd }),
    },
    { signal },
  )
  if (!options.wait) {
    terminal.result(begun, () => `${begun.id} is ${begun.status}.`)
    if (!terminal.isJson) terminal.note(`Check it with: ars policies trials ${id} ${begun.id}`)
    return undefined
  }
  const ended = await followJob(session, {
    read: () => client.policyTrials.get(id, begun.id, { signal }),
    isOver: ({ ended_at }) => ended_at !== null,
    progress: progressWords,
  })
  if (ended === 'interrupted') {
    terminal.note(`\nThe trial continues. Check it with:  ars policies trials ${id} ${begun.id}`)
    terminal.note(`Cancel it with:  ars policies cancel-trial ${id} ${begun.id}`)
    return exitCodes.interrupted
  }
  terminal.result(ended, () => inWords(terminal, ended))
  return ended.status === 'completed' ? undefined : exitCodes.failed
}

const progressWords = ({ progress: { seen, total } }: PolicyTrial): string =>
  total === null ? 'counting runs' : `${seen} of about ${total} runs`

const inWords = (terminal: Terminal, trial: PolicyTrial): string => {
  const { coverage, rules, delay_ms, samples, cost_usd } = trial
  const lost = [
    coverage.erased > 0 ? `${coverage.erased} erased` : '',
    coverage.expired > 0 ? `about ${coverage.expired} expired` : '',
    coverage.redacted > 0 ? `${coverage.redacted} already redacted` : '',
  ].filter((words) => words !== '')
  const seen = `${coverage.runs} runs, ${coverage.contents} contents${lost.length > 0 ? ` (${lost.join(', ')})` : ''}`
  return [
    `${terminal.paint(statusStyle(trial.status), trial.status)}: ${seen}`,
    ...rules.map((rule) => `  ${rule.rule} (${rule.check}): ${ruleWords(rule)}`),
    ...(delay_ms.p95 === null ? [] : [`Delay per content: p50 ${delay_ms.p50} ms, p95 ${delay_ms.p95} ms`]),
    ...(cost_usd > 0 ? [`Cost: $${cost_usd}`] : []),
    ...samples.map(({ run_id, rule, excerpt }) => `  ${run_id}  ${rule}  ${excerpt}`),
  ].join('\n')
}

const ruleWords = (rule: PolicyTrial['rules'][number]): string => {
  const acts = [
    [rule.blocked, 'blocked'],
    [rule.asked, 'held for a person'],
    [rule.redacted, 'redacted'],
    [rule.flagged, 'flagged'],
    [rule.failed, 'not checked'],
    [rule.skipped, 'skipped'],
  ] as const
  const found = acts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`)
  if (found.length === 0) return `nothing found in ${rule.contents} contents`
  return `${found.join(', ')} of ${rule.contents} contents, in ${rule.runs} runs`
}

const listTrials = async (
  { terminal, client, signal }: Session,
  id: string,
  trial: string | undefined,
  options: PageOptions,
) => {
  if (trial !== undefined) {
    const found = await client().policyTrials.get(id, trial, { signal })
    terminal.result(found, () => inWords(terminal, found))
    return undefined
  }
  await tellJobs(terminal, await client().policyTrials.list(id, pageOf(options), { signal }), {
    all: options.all,
    progress: progressWords,
    nothing: 'No trials found.',
  })
  return undefined
}

const cancelTrial = async ({ terminal, client, signal }: Session, id: string, trialId: string) => {
  const trial = await client().policyTrials.cancel(id, trialId, { signal })
  terminal.result(trial, () => `${trial.id} is ${trial.status}: ${progressWords(trial)}`)
  return undefined
}
