import { toUuid } from '@ars/platform/id'
import { type App, type Tenant, until } from '../app.ts'
import { cookieOf, ownPage } from '../browser.ts'
import type { Parties } from './parties.ts'
import { made, type PlantedIds } from './plant.ts'
import type { Watched } from './scan.ts'

type Told = Watched & { word: string }

type Deps = {
  app: App
  parties: Parties
  /** Says the word of what an organisation sets up. */
  setUp: Told
  /** Says the word of credentials and filters. */
  secretly: Told
}

/** Says the words in all fields of `enteringText` that no policy judges. */
export const setUpEverything = async ({ agents }: Tenant, deps: Deps): Promise<PlantedIds> => {
  const { parties, setUp, secretly } = deps
  const { word } = setUp
  const webhook = await made(
    setUp.call('POST', '/webhooks', { url: `${parties.webhook}?of=${word}`, events: ['*'], description: word }),
  )
  await made(
    setUp.call('PATCH', `/webhooks/${webhook.id}`, { url: `${parties.webhook}?for=${word}`, description: word }),
  )
  await made(setUp.call('PATCH', `/webhooks/${webhook.id}`, { url: parties.webhook }))
  await setUp.refused('POST', '/webhooks', { url: parties.webhook, events: [word] })
  await setUp.refused('PATCH', `/webhooks/${webhook.id}`, { events: [word] })
  await setUp.refused('POST', `/webhooks/${webhook.id}/test`, { event_type: word })
  const secret = `whsec_${secretly.word}-is-long-enough`
  const signed = await made(secretly.call('POST', '/webhooks', { url: parties.webhook, events: ['*'], secret }))
  await made(secretly.call('POST', `/webhooks/${signed.id}/rotate-secret`, { secret: `${secret}-2` }))
  const destination = { type: 'slack', url: `${parties.chat}?of=${word}` }
  await made(setUp.call('POST', '/alert-destinations', destination))
  await made(setUp.call('POST', '/alert-destinations', { type: 'slack', url: parties.chat }))

  // Of an item, `custom_id` is set up and `input` is judged.
  const items = [{ custom_id: `item-${word}`, input: { query: 'x' } }]
  const batch = await made(setUp.call('POST', '/batches', { agent_id: agents['test-echo'], items }))

  const people = await setUpPeople(deps)
  const things = await setUpAgents({ agents }, deps)
  await sayToFilters(deps, agents)
  await until('what all parties are sent', async () =>
    ['chat', 'mail', 'model', 'webhook'].every((party) => parties.sent(word).includes(party)),
  )
  return { ...people, ...things, webhooks: [webhook.id, signed.id], batches: [batch.id] }
}

const setUpPeople = async ({ parties, setUp, secretly }: Deps): Promise<PlantedIds> => {
  const { word } = setUp
  await made(setUp.call('PATCH', '/organisation', { name: `Team ${word}` }))
  const scopes = ['runs:read', 'agents:read']
  const headers = { 'idempotency-key': `key ${word}`, 'user-agent': `Agent ${word}` }
  const key = await made(setUp.call('POST', '/api-keys', { name: word, scopes }, { headers }))
  await made(setUp.call('PATCH', `/api-keys/${key.id}`, { name: `${word} 2` }))
  await secretly.refused('POST', '/api-keys', { name: 'x', scopes: [secretly.word] })
  await secretly.refused('PATCH', `/api-keys/${key.id}`, { scopes: [secretly.word] })
  await secretly.refused('POST', '/session-tokens', { scopes: [secretly.word] })

  const email = `${word}@example.com`
  await made(setUp.call('POST', '/members/invitations', { email, role: 'admin' }))
  const invitation = await until('the invitation', async () =>
    parties.mail.mails().find(({ to, text }) => to.includes(email) && text.includes('#token=')),
  )
  const token = /#token=(\S+)/.exec(invitation.text)?.[1]
  const password = `nine blue ${secretly.word} by the quay`
  const visit = { key: null, headers: { ...ownPage, 'user-agent': `Browser ${word}` } }
  const post = (path: string, body: object) => secretly.refused('POST', `/api/auth/${path}`, body, visit)
  await post('invitation', { token: secretly.word, password })
  await post('password-reset', { token: secretly.word, password })
  await post('login', { email: `${secretly.word}@example.com`, password })
  const accepted = await setUp.call('POST', '/api/auth/invitation', { token, name: word, password }, visit)
  const own = { key: null, headers: { ...visit.headers, cookie: cookieOf(accepted) } }
  await made(setUp.call('PATCH', '/api/auth/me', { name: `${word} 2` }, own))
  await secretly.refused('POST', '/api/auth/email-proof', { token: secretly.word }, own)
  const changed = { current_password: password, new_password: `${password} 2` }
  const renewed = await secretly.call('POST', '/api/auth/password', changed, own)
  const page = { key: null, headers: { ...visit.headers, cookie: cookieOf(renewed) } }
  for (const path of ['/api/auth/me', '/sessions', '/members/me/notifications'])
    await setUp.call('GET', path, undefined, page)
  await made(setUp.call('POST', '/members/invitations', { email: `second-${email}`, role: 'viewer' }))
  return { apiKeys: [key.id] }
}

const setUpAgents = async ({ agents }: Pick<Tenant, 'agents'>, { app, parties, setUp, secretly }: Deps) => {
  const { call, planted, word } = setUp
  const connector = await made(call('POST', '/connectors', { name: word, url: `${parties.tools.url}?of=${word}` }))
  await made(
    call('PATCH', `/connectors/${connector.id}`, { name: `${word} 2`, url: `${parties.tools.url}?for=${word}` }),
  )
  await setUp.refused('POST', `/connectors/${connector.id}/tools/${word}/approve`, { hash: '0'.repeat(64) })
  const auth = { type: 'bearer', token: `${secretly.word}-token` }
  const sealed = await made(secretly.call('POST', '/connectors', { name: 'Sealed', url: parties.tools.url, auth }))
  await made(secretly.call('PATCH', `/connectors/${sealed.id}`, { auth }))
  planted.add('manifest of a tool')
  await made(secretly.call('POST', '/provider-keys', { provider: 'openai', key: `${secretly.word}-of-openai` }))

  const schema = { type: 'object', description: word }
  const config = { model: parties.model, instructions: `Say ${word}.`, tools: [{ connector_id: sealed.id }] }
  const metadata = { note: word }
  const content = { name: word, description: word, input_schema: schema, output_schema: schema, metadata }
  const agent = await made(call('POST', '/agents/custom', { ...content, config }))
  const again = { ...content, name: `${word} 2`, config: { ...config, instructions: `${word} again` } }
  const { deployment } = await made(call('PATCH', `/agents/${agent.id}`, again))
  await made(call('POST', `/deployments/${deployment.id}/rollback`, { reason: word }))
  await made(call('POST', '/agents/prompt', { config: { instructions: word }, input: {} }))
  await setUp.refused('POST', '/agents/custom', { name: 'x', config: { model: parties.model }, policies: [word] })
  await setUp.refused('PATCH', `/agents/${agent.id}`, { policies: [word] })
  const hired = { name: word, metadata, config: { instructions: word } }
  await made(call('POST', '/agents/test-echo/deploy', { name: word, metadata }))
  await setUp.refused('POST', `/agents/${word}/deploy`, hired)
  const run = await made(call('POST', '/runs', { agent_id: agent.id, input: {} }))

  const rule = { id: 'mine', check: 'keywords', stages: ['input'], action: 'flag', params: { words: [word] } }
  const policy = await made(call('POST', '/policies', { name: word, description: word, rules: [rule] }))
  const changed = { ...rule, params: { words: [`${word} 2`] } }
  await made(call('PATCH', `/policies/${policy.id}`, { name: `${word} 2`, description: word, rules: [changed] }))
  const params = { words: [word], model: 'simulated/echo', topics: word }
  const fromTemplate = await made(call('POST', '/policies', { template: 'topic-deny', params }))
  await setUp.refused('POST', '/policies', { template: word })

  const steps = [{ key: 'ask', approval: { message: word } }]
  const pipeline = { name: word, description: word, metadata, definition: { steps } }
  const { id } = await made(call('POST', '/pipelines', pipeline))
  await made(call('POST', '/pipelines/check', { definition: { steps } }))
  const other = { steps: [{ key: 'ask', approval: { message: `${word} 2` } }] }
  await made(call('PATCH', `/pipelines/${id}`, { ...pipeline, name: `${word} 2`, definition: other }))
  const asking = await made(call('POST', `/pipelines/${id}/runs`, { input: {} }))
  await until('the question', async () => {
    const { body } = await call('GET', `/pipeline-runs/${asking.id}`)
    return body.required_actions?.length > 0
  })
  const at = `/pipeline-runs/${asking.id}`
  await made(call('GET', '/pipeline-runs'))
  await secretly.refused('POST', `${at}/action`, { type: 'approve', action_id: secretly.word })
  await secretly.refused('POST', `${at}/rerun`, { from_step: secretly.word })
  await secretly.refused('GET', `${at}/steps/${secretly.word}/items`)
  // The stream of a pipeline run that waits has no end.
  await made(call('DELETE', at))
  await until('the end of the pipeline run', async () => (await call('GET', at)).body.finished_at !== null)

  const daily = { interval_seconds: 86_400, agent_id: agents['test-echo'], input: {} }
  const schedule = await made(call('POST', '/schedules', { ...daily, name: word }))
  await made(call('PATCH', `/schedules/${schedule.id}`, { name: `${word} 2` }))
  const cron = { name: 'x', agent_id: agents['test-echo'], input: {}, cron: word, time_zone: word }
  await setUp.refused('POST', '/schedules', cron)
  await setUp.refused('PATCH', `/schedules/${schedule.id}`, { cron: word, time_zone: word })

  const alertRule = { name: word, metric: 'failure_rate', threshold: 0.5, agent_id: agents['test-echo'] }
  const alert = await made(call('POST', '/alert-rules', alertRule))
  await made(call('PATCH', `/alert-rules/${alert.id}`, { name: `${word} 2` }))
  await made(call('POST', `/alert-rules/${alert.id}/test`, {}))
  const fired = await made(call('POST', `/alert-rules/${alert.id}/test`, {}))
  // No figures make it fire here, so it is planted as the sweep stores it.
  await app.query(
    `insert into alerts (id, org_id, rule_id, agent_id, rule, severity, snapshot)
     select $1, org_id, id, agent_id, $2, severity, $3 from alert_rules where id = $4`,
    [toUuid(fired.id), JSON.stringify(fired.rule), JSON.stringify(fired.snapshot), toUuid(alert.id)],
  )
  return {
    agents: [agent.id],
    deployments: [deployment.id],
    connectors: [connector.id, sealed.id],
    runs: [run.id],
    policies: [policy.id, fromTemplate.id],
    pipelines: [id],
    pipelineRuns: [asking.id],
    schedules: [schedule.id],
    alertRules: [alert.id],
    alerts: [fired.id],
  }
}

const sayToFilters = async ({ secretly }: Deps, agents: Tenant['agents']): Promise<void> => {
  const { word } = secretly
  const filters = [
    `/runs?metadata[note]=${word}`,
    `/agents?q=${word}`,
    `/pipelines?q=${word}`,
    `/catalog?q=${word}`,
    `/models?q=${word}`,
    ...['catalog', 'models', 'policy-templates', 'provider-keys'].flatMap((list) => [
      `/${list}?after=${word}`,
      `/${list}?before=${word}`,
    ]),
  ]
  for (const path of filters) await made(secretly.call('GET', path))
  const refused = [
    `/catalog/${word}`,
    `/policy-templates/${word}`,
    `/analytics?time_zone=${word}&agent_id=${agents['test-echo']}`,
    `/analytics/export?time_zone=${word}`,
  ]
  for (const path of refused) await secretly.refused('GET', path)
  const nothing = { headers: { 'last-event-id': word, prefer: `wait=1, note="${word}"` } }
  await secretly.call('GET', '/runs', undefined, nothing)
}
