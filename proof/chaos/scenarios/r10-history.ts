import { createHash } from 'node:crypto'
import { awaitDeliveries } from '../delivery-records.ts'
import { allCompleted, orderOfSteps, playClients } from '../load.ts'
import { differences } from '../records.ts'
import { claim, scenario } from '../scenario.ts'
import { watchEnds } from '../subscription.ts'

type Size = {
  runs: number
  restarts: number
  clients: number
}

/** A process that starts finds ended runs and does not change them. */
export const history = scenario<Size>({
  name: 'R10',
  promise:
    'Restarts never rewrite history: every row of ended runs is unchanged afterwards, and no event is announced again.',
  sizes: { ci: { runs: 50, restarts: 2, clients: 10 }, full: { runs: 500, restarts: 5, clients: 16 } },
  play: async (stage, size) => {
    const { fleet, say } = stage
    const ends = await watchEnds(stage)
    const orders = Array.from({ length: size.runs }, (_, n) =>
      orderOfSteps(fleet, stage.key(n), { input: { steps: 2, delay_ms: 20 }, prefer: 'wait=10' }),
    )
    const ended = await playClients(stage, orders, { clients: size.clients })
    await awaitDeliveries(fleet.records, { timeoutMs: 30_000 })
    const posts = fleet.receiver.received().length
    // Whatever else has ended on this stack must stay as it is too.
    const results = await fleet.records.query<{ run_id: string }>('select run_id from run_results')
    const ids = results.map(({ run_id }) => run_id)
    const before = await fleet.records.dump(ids)
    const changes: string[] = []
    for (let restart = 1; restart <= size.restarts; restart++) {
      // In good order and not, in turn.
      const how = restart % 2 === 1 ? 'stop' : 'kill'
      const servers = [...fleet.gateways, ...fleet.workers]
      const returns = await Promise.all(servers.map(({ name }) => fleet.supervision.takeDown(name, how)))
      await Promise.all(returns.map((bringUp) => bringUp()))
      changes.push(...differences(before, await fleet.records.dump(ids)))
      say(`restart ${restart}`)
    }
    // The neighbour has no webhook, and nobody else works meanwhile.
    const postsAfterwards = fleet.receiver.received().length - posts
    const webhook = await ends((await stage.records()).runs)
    return {
      metrics: [
        ['runs of this scenario', ended.length],
        ['ended runs on the stack', ids.length],
        ['restarts of every gateway and worker', size.restarts],
        ['rows compared', before.length],
        ['SHA-256 of all rows', createHash('sha256').update(before.join('\n')).digest('hex').slice(0, 16)],
        ...webhook.metrics,
      ],
      claims: [
        allCompleted('the runs complete', ended),
        { says: 'after every restart all rows are the same, and no event is new', violations: changes },
        claim('not vacuous: there are rows to rewrite', before.length > size.runs * 5, `${before.length} rows`),
        claim('no webhook receives anything again', postsAfterwards === 0, `${postsAfterwards} POSTs`),
        ...webhook.claims,
      ],
    }
  },
})
