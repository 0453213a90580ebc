import { fromUuid, toUuid } from '@ars/platform/id'
import { type App, until } from '../app.ts'
import { type Organisation, plantPerson, plantSession } from './people.ts'

/** How to create an object that an id names. */
export type Maker = {
  /**
   * Creates one, with the organisation's marker in every text field, and returns its id. `beside`: the other ids in the
   * path, by prefix; an object that is part of another is created inside that one.
   */
  make(app: App, organisation: Organisation, beside?: Readonly<Record<string, string>>): Promise<string>
  /** Deletes one. Omitted: no caller can delete it, and a deleted one looks like one that never existed. */
  remove?(app: App, organisation: Organisation, id: string): Promise<void>
  /** It is kept for the record after deletion and can still be named. */
  remains?: true
}

/** A maker for each prefix that a path or a required field may hold. */
const makers: Readonly<Record<string, Maker>> = {
  run: {
    make: ({ call }, { key, agents, marker }) =>
      idIn(
        call('POST', '/v2/runs', {
          key,
          body: { agent_id: agents['test-echo'], input: { query: marker }, metadata: { note: marker } },
        }),
      ),
  },
  shr: {
    make: async (app, organisation, { run } = {}) => {
      const { key } = organisation
      const shared = run ?? (await makerOf('run').make(app, organisation))
      return idIn(app.call('POST', `/v2/runs/${shared}/shares`, { key, body: {} }))
    },
    remove: async ({ call, query }, { key }, id) => {
      const [share] = await query<{ run_id: string }>('select run_id from run_shares where id = $1', [toUuid(id)])
      await done(call('DELETE', `/v2/runs/${fromUuid('run', share?.run_id ?? '')}/shares/${id}`, { key }))
    },
  },
  ag: {
    make: ({ call }, { key, marker }) => {
      const config = { model: 'simulated/echo', instructions: marker }
      return idIn(call('POST', '/v2/agents/custom', { key, body: { name: marker, config } }))
    },
    remove: ({ call }, { key }, id) => done(call('DELETE', `/v2/agents/${id}`, { key })),
    remains: true,
  },
  // A run of a catalog agent, so that a demo key may see it.
  dep: {
    make: async ({ call }, { key, marker }) => {
      const { status, body, text } = await call('POST', '/v2/agents/test-echo/deploy', { key, body: { name: marker } })
      if (status >= 300) throw new Error(`The matrix could not make what it needs: ${status} ${text}`)
      return body.deployment.id
    },
  },
  // Its server does not exist, so its tool is planted with the name and the hash of the sample input.
  con: {
    make: async ({ call, query }, { key, marker }) => {
      const body = { name: marker, url: `https://${marker}.example.com/mcp` }
      const id = await idIn(call('POST', '/v2/connectors', { key, body }))
      const hints = { read_only: true, destructive: true, idempotent: false, open_world: true }
      const manifest = { name: 'x', title: null, description: marker, input_schema: {}, output_schema: null, hints }
      await query(
        `insert into connector_tools (connector_id, org_id, name, listed_hash, listed_manifest)
         select id, org_id, 'x', decode(repeat('00', 32), 'hex'), $2 from connectors where id = $1`,
        [toUuid(id as `con_${string}`), JSON.stringify(manifest)],
      )
      return id
    },
    remove: ({ call }, { key }, id) => done(call('DELETE', `/v2/connectors/${id}`, { key })),
  },
  // The address has no listener, and only test events are sent.
  wh: {
    make: ({ call }, { key, marker }) => {
      const body = { url: `https://127.0.0.1:9/${marker}`, events: ['deployment.rollback'], description: marker }
      return idIn(call('POST', '/v2/webhooks', { key, body }))
    },
    remove: ({ call }, { key }, id) => done(call('DELETE', `/v2/webhooks/${id}`, { key })),
  },
  dst: {
    make: ({ call }, { key, marker }) =>
      idIn(
        call('POST', '/v2/alert-destinations', { key, body: { type: 'slack', url: `https://127.0.0.1:9/${marker}` } }),
      ),
    remove: ({ call }, { key }, id) => done(call('DELETE', `/v2/alert-destinations/${id}`, { key })),
  },
  dlv: {
    make: async (app, organisation, { wh } = {}) => {
      const { key } = organisation
      const webhook = wh ?? (await makerOf('wh').make(app, organisation))
      return idIn(app.call('POST', `/v2/webhooks/${webhook}/test`, { key, body: {} }))
    },
  },
  rec: {
    make: async (app, organisation, { wh } = {}) => {
      const { key } = organisation
      const webhook = wh ?? (await makerOf('wh').make(app, organisation))
      const body = { since: '2026-01-01T00:00:00Z' }
      return idIn(app.call('POST', `/v2/webhooks/${webhook}/recover`, { key, body }))
    },
  },
  evt: {
    make: async (app, organisation) => {
      await makerOf('dep').make(app, organisation)
      const [event] = await app.query<{ id: string }>(
        `select id from events where org_id = $1 and type = 'deployment.created' order by id desc limit 1`,
        [organisation.org],
      )
      return fromUuid('evt', event?.id ?? '')
    },
  },
  key: {
    make: ({ call }, { key, marker }) =>
      idIn(call('POST', '/v2/api-keys', { key, body: { name: marker, scopes: ['runs:read'] } })),
    remove: ({ call }, { key }, id) => done(call('DELETE', `/v2/api-keys/${id}`, { key })),
    remains: true,
  },
  mem: {
    make: async (app, organisation) => (await plantPerson(app, organisation, 'viewer')).memberId,
    remove: ({ call }, { key }, id) => done(call('DELETE', `/v2/members/${id}`, { key })),
  },
  inv: {
    make: ({ call }, { key, marker }) => {
      const body = { email: `${marker}-${++invitations}@example.com`, role: 'viewer' }
      return idIn(call('POST', '/v2/members/invitations', { key, body }))
    },
    remove: ({ call }, { key }, id) => done(call('DELETE', `/v2/members/invitations/${id}`, { key })),
    remains: true,
  },
  // A session of the person whose sessions the cells use: other people's are not visible.
  ses: {
    make: async (app, organisation) => (await plantSession(app, organisation, organisation.person)).id,
    remove: async (app, organisation, id) => {
      const { cookie } = await plantSession(app, organisation, organisation.person)
      await done(app.call('DELETE', `/v2/sessions/${id}`, { key: null, headers: { cookie, origin: app.url } }))
    },
    remains: true,
  },
  alr: {
    make: ({ call }, { key, marker, agents }) => {
      const rule = { name: marker, metric: 'failure_rate', threshold: 0.5, agent_id: agents['test-echo'] }
      return idIn(call('POST', '/v2/alert-rules', { key, body: rule }))
    },
    remove: ({ call }, { key }, id) => done(call('DELETE', `/v2/alert-rules/${id}`, { key })),
  },
  // No figures make it fire here, so it is planted as the sweep stores it.
  alt: {
    make: async (app, organisation) => {
      const rule = await makerOf('alr').make(app, organisation)
      const { body } = await app.call('POST', `/v2/alert-rules/${rule}/test`, { key: organisation.key })
      await app.query(
        `insert into alerts (id, org_id, rule_id, agent_id, rule, severity, snapshot)
         select $1, org_id, id, agent_id, $2, severity, $3 from alert_rules where id = $4`,
        [toUuid(body.id), JSON.stringify(body.rule), JSON.stringify(body.snapshot), toUuid(rule as `alr_${string}`)],
      )
      return body.id
    },
  },
  pol: {
    make: ({ call }, { key, marker }) => {
      const rule = { check: 'keywords', stages: ['input'], action: 'flag', params: { words: [marker] } }
      return idIn(call('POST', '/v2/policies', { key, body: { name: marker, description: marker, rules: [rule] } }))
    },
    remove: ({ call }, { key }, id) => done(call('DELETE', `/v2/policies/${id}`, { key })),
    remains: true,
  },
  pat: {
    make: async (app, organisation, { pol } = {}) => {
      const { key, agents } = organisation
      const policy = pol ?? (await makerOf('pol').make(app, organisation))
      const body = { subject_id: agents['test-slow'] }
      return idIn(app.call('POST', `/v2/policies/${policy}/attachments`, { key, body }))
    },
    remove: async ({ call, query }, { key }, id) => {
      const [row] = await query<{ policy_id: string }>('select policy_id from policy_attachments where id = $1', [
        toUuid(id as `pat_${string}`),
      ])
      await done(call('DELETE', `/v2/policies/${fromUuid('pol', row?.policy_id ?? '')}/attachments/${id}`, { key }))
    },
  },
  // It has ended: an organisation has only some that have not.
  ptr: {
    make: async (app, organisation, { pol } = {}) => {
      const { key } = organisation
      const policy = pol ?? (await makerOf('pol').make(app, organisation))
      const body = { since: new Date(Date.now() - 3_600_000).toISOString() }
      const trials = `/v2/policies/${policy}/trials`
      const id = await idIn(app.call('POST', trials, { key, body }))
      await done(app.call('DELETE', `${trials}/${id}`, { key }))
      return id
    },
  },
  // The key of its step is that of the sample input.
  pl: {
    make: ({ call }, { key, agents, marker }) => {
      const steps = [{ key: 'extract', agent_id: agents['test-echo'], input: { query: marker } }]
      const body = { name: marker, description: marker, definition: { steps }, metadata: { note: marker } }
      return idIn(call('POST', '/v2/pipelines', { key, body }))
    },
    remove: ({ call }, { key }, id) => done(call('DELETE', `/v2/pipelines/${id}`, { key })),
    remains: true,
  },
  // It has ended: its stream ends, and its data can be erased.
  plr: {
    make: async (app, organisation, { pl } = {}) => {
      const { key, marker } = organisation
      const pipeline = pl ?? (await makerOf('pl').make(app, organisation))
      const body = { input: { query: marker }, metadata: { note: marker } }
      const id = await idIn(app.call('POST', `/v2/pipelines/${pipeline}/runs`, { key, body }))
      await hasEnded(app, 'pipeline_runs', toUuid(id as `plr_${string}`))
      return id
    },
  },
  // Its dates are far away.
  sch: {
    make: ({ call }, { key, agents, marker }) => {
      const body = {
        name: marker,
        interval_seconds: 31_622_400,
        agent_id: agents['test-echo'],
        input: { query: marker },
      }
      return idIn(call('POST', '/v2/schedules', { key, body }))
    },
    remove: ({ call }, { key }, id) => done(call('DELETE', `/v2/schedules/${id}`, { key })),
  },
  // It has ended: an organisation has only some that have not.
  bat: {
    make: async (app, { key, agents, marker }) => {
      const body = {
        agent_id: agents['test-echo'],
        items: [{ input: { query: marker }, custom_id: 'first' }],
        metadata: { note: marker },
      }
      const id = await idIn(app.call('POST', '/v2/batches', { key, body }))
      await hasEnded(app, 'batches', toUuid(id as `bat_${string}`))
      return id
    },
  },
  org: {
    make: (_app, { org }) => Promise.resolve(fromUuid('org', org)),
  },
}

let invitations = 0

const hasEnded = (app: App, table: 'pipeline_runs' | 'batches', id: string): Promise<unknown> =>
  until(`the end of ${id} in ${table}`, async () => {
    const [row] = await app.query(`select 1 from ${table} where id = $1 and finished_at is not null`, [id])
    return row
  })

/** The maker of a prefix, or an error that says what to add. */
export const makerOf = (prefix: string): Maker => {
  const maker = makers[prefix]
  if (maker) return maker
  throw new Error(
    `The contract names things by ${prefix}_…, and the matrix of access cannot make one: ` +
      `add a maker for \`${prefix}\` to apps/server/test/access-matrix/makers.ts`,
  )
}

type Called = ReturnType<App['call']>

const idIn = async (called: Called): Promise<string> => {
  const { status, body, text } = await called
  if (status >= 300) throw new Error(`The matrix could not make what it needs: ${status} ${text}`)
  return body.id
}

const done = async (called: Called): Promise<void> => {
  const { status, text } = await called
  if (status >= 300) throw new Error(`The matrix could not delete what it made: ${status} ${text}`)
}
