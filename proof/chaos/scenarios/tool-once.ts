import { startMcpServer } from '@ars/testkit/mcp-server'
import { z } from 'zod'
import { waitFor } from '../../lab/condition.ts'
import { plantAgent } from '../../lab/stack/organisation.ts'
import { getRun, type HeardRun, hasEnded, type RunOrder } from '../run-client.ts'
import { claim, type Stage, scenario } from '../scenario.ts'

type Size = {
  /** Of each kind. */
  trials: number
  /** Interrupted by the same kill, of each kind. */
  atOnce: number
}

type Trial = {
  order: RunOrder
  runId: string
  tool: 'charge' | 'store'
}

/** A call is answered so late that its worker does not live to hear it; a repeated one is answered at once. */
const answerAfterMs = 60_000

/**
 * The two workers do not die in the same millisecond. The engine may give a call of the first one to the second, which
 * sends it before it dies too: the first call, that one, and the one after the restart.
 */
const maxRepeatableCalls = 3

/** A tool call is under way when its worker dies: was it carried out or not? */
export const toolOnce = scenario<Size>({
  name: 'tool-once',
  promise:
    'A tool call interrupted by kill -9 is never sent twice unless it may be: a person is asked, and the run goes on.',
  serverEnv: {
    ARS_EGRESS_ALLOW_RANGES: '127.0.0.0/8',
    ARS_EGRESS_ALLOW_PORTS: 'any',
    ARS_EGRESS_ALLOW_PLAIN_HTTP: 'true',
  },
  sizes: { ci: { trials: 5, atOnce: 5 }, full: { trials: 50, atOnce: 5 } },
  play: async (stage, { trials, atOnce }) => {
    const { fleet, say } = stage
    const heard: { tool: string; id: string }[] = []
    const mcp = await startMcpServer({
      tools: [],
      port: fleet.stack.ports.base + 1,
      extend: (server) => {
        for (const [name, annotations] of tools) {
          server.registerTool(
            name,
            { description: name, inputSchema: z.object({ id: z.string() }), annotations },
            async ({ id }: { id: string }, { mcpReq }) => {
              const isRepeated = heard.some((call) => call.id === id)
              heard.push({ tool: name, id })
              if (!isRepeated) await untilGone(mcpReq.signal)
              return { content: [{ type: 'text', text: `${name} ${id}` }] }
            },
          )
        }
      },
    })
    try {
      const agentId = await plantToolAgent(stage, mcp.url)
      const ended: (Trial & { end: HeardRun; asked: string[] })[] = []
      for (let n = 0; n < trials; n += atOnce) {
        const batch = await startBatch(stage, { agentId, from: n, count: Math.min(atOnce, trials - n) })
        await waitFor(
          'every call to be under way',
          () => batch.every(({ order }) => heard.some(({ id }) => id === order.key)),
          {
            timeoutMs: 60_000,
          },
        )
        await Promise.all(fleet.workers.map(({ name }) => fleet.supervision.kill(name)))
        ended.push(...(await Promise.all(batch.map((trial) => settle(stage, trial)))))
        say(`${ended.length} trials`)
      }
      const times = (trial: Trial): number => heard.filter(({ id }) => id === trial.order.key).length
      const ofTool = (tool: Trial['tool']) => ended.filter((trial) => trial.tool === tool)
      return {
        metrics: [
          ['trials with a tool that must not be repeated', ofTool('charge').length],
          ['calls that it received', ofTool('charge').reduce((sum, trial) => sum + times(trial), 0)],
          ['trials with one that may be', ofTool('store').length],
          ['calls that it received', ofTool('store').reduce((sum, trial) => sum + times(trial), 0)],
          ['workers killed', 2 * Math.ceil(trials / atOnce)],
        ],
        claims: [
          {
            says: 'tool calls that must not be repeated were received once',
            violations: ofTool('charge')
              .filter((trial) => times(trial) !== 1)
              .map((trial) => `${trial.runId}: ${times(trial)} times`),
          },
          {
            says: 'its run asked a person with reconcile, and completed on the answer',
            violations: ofTool('charge')
              .filter(({ asked, end }) => asked.join() !== 'reconcile' || end.status !== 'completed')
              .map(({ runId, asked, end }) => `${runId}: asked ${asked.join() || 'nobody'}, ${end.status}`),
          },
          {
            says: 'repeatable tool calls were repeated, and their runs completed without a decision',
            violations: ofTool('store')
              .filter(
                (trial) =>
                  times(trial) < 2 ||
                  times(trial) > maxRepeatableCalls ||
                  trial.asked.length > 0 ||
                  trial.end.status !== 'completed',
              )
              .map(
                (trial) => `${trial.runId}: ${times(trial)} times, asked ${trial.asked.join()}, ${trial.end.status}`,
              ),
          },
          claim('every trial ended', ended.length === 2 * trials, `${ended.length} trials`),
        ],
      }
    } finally {
      await mcp.stop()
    }
  },
})

const tools = [
  ['charge', { readOnlyHint: false, idempotentHint: false, destructiveHint: true }],
  ['store', { idempotentHint: true }],
] as const

const untilGone = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, answerAfterMs)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

const plantToolAgent = async ({ fleet }: Stage, url: string): Promise<string> => {
  const { client } = fleet
  const answer = await client.insist({
    what: 'list',
    key: 'tool-once/connector',
    call: {
      method: 'POST',
      path: '/v2/connectors',
      headers: { ...client.authorization },
      body: { name: 'chaos', url },
    },
    expects: [201],
  })
  const { id } = JSON.parse(answer.text) as { id: string }
  return plantAgent(fleet.records, fleet.organisation, {
    name: 'tool-once',
    config: { model: 'simulated/script', tools: [{ connector_id: id, require_approval: [] }] },
  })
}

const startBatch = async (
  stage: Stage,
  { agentId, from, count }: { agentId: string; from: number; count: number },
): Promise<Trial[]> => {
  const wanted = Array.from({ length: count }, (_, at) => from + at).flatMap((n) =>
    (['charge', 'store'] as const).map((tool) => ({ n, tool })),
  )
  return Promise.all(
    wanted.map(async ({ n, tool }) => {
      const key = stage.key(`${tool}-${n}`)
      const script = [{ tool_calls: [{ name: tool, arguments: { id: key } }] }, { text: 'done' }]
      const order: RunOrder = { key, agentId, input: { script }, prefer: 'respond-async' }
      const { id: runId } = await stage.fleet.client.accept(order)
      return { order, runId, tool }
    }),
  )
}

/** Waits until the run has ended or asks; answers what it asks; waits again. */
const settle = async ({ fleet }: Stage, trial: Trial): Promise<Trial & { end: HeardRun; asked: string[] }> => {
  const { client } = fleet
  const { order, runId } = trial
  const asked: string[] = []
  const isSettled = (run: HeardRun): boolean => hasEnded(run) || run.status === 'requires_action'
  let run = await client.awaitEnd(order, runId, isSettled)
  if (run.status === 'requires_action') {
    const { required_actions: actions } = JSON.parse(run.text) as { required_actions: { id: string; type: string }[] }
    asked.push(...actions.map(({ type }) => type))
    const answer = await client.insist({
      what: 'act',
      key: order.key,
      call: {
        method: 'POST',
        path: `/v2/runs/${runId}/action`,
        headers: { ...client.authorization },
        body: { type: 'respond', action_id: actions[0]?.id, payload: { outcome: 'done', result: 'charged' } },
      },
    })
    run = getRun(answer)
  }
  return { ...trial, asked, end: hasEnded(run) ? run : await client.awaitEnd(order, runId) }
}
