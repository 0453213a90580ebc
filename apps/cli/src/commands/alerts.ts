import { type Command, Option } from 'commander'
import { findAgentId } from '../agent-name.ts'
import { withExamples } from '../describe.ts'
import { type PageOptions, pageOf, tellPage, withPaging } from '../list.ts'
import { localTime } from '../moment.ts'
import { acting, type Session } from '../session.ts'

const exampleRule = 'alr_01kf3xw0fqe1vrr9m8sdv2wbx4'

/** The lists of alerts and of their rules. The other commands follow from the operations of the API. */
export const addAlerts = (program: Command): void => {
  const alerts = withExamples(
    program.command('alerts').description('list and show alerts'),
    'ars alerts list --status firing',
  )
  withExamples(
    withPaging(alerts.command('list').description('list alerts'))
      .addOption(new Option('--status <status>', 'only those').choices(['firing', 'resolved']))
      .addOption(new Option('--severity <severity>', 'only those').choices(['info', 'warning', 'critical']))
      .option('--rule-id <rule>', 'only alerts of this rule')
      .option('--agent <agent>', 'only alerts of this agent, by id or name')
      .action(acting(listAlerts)),
    'ars alerts list --status firing',
    `ars alerts list --rule-id ${exampleRule}`,
  )
  const rules = withExamples(
    program.command('alert-rules').description('manage the rules that fire alerts'),
    'ars alert-rules create --name Failures --metric failure_rate --threshold 0.1',
  )
  withExamples(
    withPaging(rules.command('list').description('list alert rules with their state'))
      .option('--agent <agent>', 'only rules of this agent, by id or name')
      .action(acting(listRules)),
    'ars alert-rules list',
  )
}

type AlertOptions = PageOptions & {
  status?: 'firing' | 'resolved'
  severity?: 'info' | 'warning' | 'critical'
  ruleId?: string
  agent?: string
}

const listAlerts = async (session: Session, options: AlertOptions) => {
  const { terminal, client, signal } = session
  const { status, severity, ruleId } = options
  const asked = {
    ...pageOf(options),
    ...(status && { status }),
    ...(severity && { severity }),
    ...(ruleId && { rule_id: ruleId }),
    ...(await agentIn(session, options.agent)),
  }
  await tellPage(terminal, await client().alerts.list(asked, { signal }), {
    all: options.all,
    columns: {
      ID: ({ id }) => id,
      STATUS: ({ status: shown }) => shown,
      SEVERITY: ({ severity: shown }) => shown,
      TRIGGERED: ({ triggered_at }) => localTime(triggered_at),
      VALUE: ({ snapshot: { metric, value } }) => `${metric} ${rounded(value)}`,
      RULE: ({ rule }) => rule.name,
    },
    nothing: 'No alerts found.',
  })
  return undefined
}

const listRules = async (session: Session, options: PageOptions & { agent?: string }) => {
  const { terminal, client, signal } = session
  const asked = { ...pageOf(options), ...(await agentIn(session, options.agent)) }
  await tellPage(terminal, await client().alertRules.list(asked, { signal }), {
    all: options.all,
    columns: {
      ID: ({ id }) => id,
      STATE: ({ state, enabled, stale }) => (enabled ? `${state}${stale ? ' (stale)' : ''}` : 'disabled'),
      SEVERITY: ({ severity }) => severity,
      RULE: ({ metric, error_code, operator, threshold, window_seconds }) =>
        `${error_code ?? metric} ${operator} ${threshold} over ${window_seconds} s`,
      NAME: ({ name }) => name,
    },
    nothing:
      'No alert rules found. Create one with: ars alert-rules create --name <name> --metric failure_rate --threshold 0.1',
  })
  return undefined
}

const agentIn = async ({ client, signal }: Session, agent: string | undefined) =>
  agent === undefined ? {} : { agent_id: await findAgentId(client(), agent, signal) }

const rounded = (value: number): string => String(Number(value.toPrecision(4)))
