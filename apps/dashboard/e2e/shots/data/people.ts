import {
  type ApiKey,
  type AuditEntry,
  type Invitation,
  type Member,
  type MemberSummary,
  type Notifications,
  type OrganisationDetails,
  type ProviderKey,
  type Session,
  type SessionRecord,
  scopes,
} from '@agent-run-service/sdk'
import { ago, id, ids } from './base.ts'

const organisation = {
  id: ids.organisation,
  name: 'Northwind Trading',
  plan: 'business',
  max_key_lifetime_days: null,
} as const

export const session: Session = {
  object: 'session',
  type: 'session',
  id: id('ses', 1),
  user: { id: ids.ada, email: 'ada@northwind.example', name: 'Ada Lovelace' },
  organisation,
  role: 'owner',
  scopes: [...scopes],
  organisations: [
    { id: ids.organisation, name: 'Northwind Trading', role: 'owner' },
    { id: id('org', 2), name: 'Northwind Staging', role: 'admin' },
  ],
  expires_at: ago(-11, 'hours'),
}

export const providerKeys: ProviderKey[] = [
  {
    id: 'openai',
    object: 'provider_key',
    key_hint: '…4f2c',
    created_by: ids.ada,
    created_at: ago(40, 'days'),
    updated_at: ago(12, 'days'),
  },
]

export const organisationDetails: OrganisationDetails = {
  object: 'organisation',
  ...organisation,
  limits: {
    requests_per_minute: 10_000,
    burst: 15_000,
    calls_per_month: 5_000_000,
    concurrent_runs: 500,
    run_timeout_max_seconds: 86_400,
    storage_bytes: 107_374_182_400,
    run_retention_days: 30,
  },
  monthly_budget_usd: 500,
  budget_action: 'notify',
  created_at: ago(60, 'days'),
}

const people = [
  [ids.ada, 'Ada Lovelace', 'ada', 'owner', 60],
  [ids.grace, 'Grace Hopper', 'grace', 'admin', 52],
  [ids.linus, 'Linus Berg', 'linus', 'developer', 30],
  [ids.mary, 'Mary Jackson', 'mary', 'viewer', 8],
] as const

export const members: readonly Member[] = people.map(([user_id, name, mail, role, days], n) => ({
  id: id('mem', n + 1),
  object: 'member',
  user_id,
  email: `${mail}@northwind.example`,
  name,
  role,
  created_at: ago(days, 'days'),
}))

export const directory: readonly MemberSummary[] = members.map(({ id: memberId, user_id, name, role }) => ({
  id: memberId,
  object: 'member_summary',
  user_id,
  name,
  role,
}))

export const notifications: Notifications = {
  object: 'notifications',
  kinds: ['alert_critical', 'alert_warning', 'budget_reached', 'webhook_disabled', 'api_key_expiring'],
  email: 'ada@northwind.example',
  email_proven: true,
  mail_enabled: true,
}

const invitation = (number: number, email: string, own: Partial<Invitation>): Invitation => ({
  id: id('inv', number),
  object: 'invitation',
  email,
  role: 'developer',
  status: 'open',
  invited_by: ids.ada,
  created_at: ago(1, 'days'),
  expires_at: ago(-6, 'days'),
  ...own,
})
export const invitations: readonly Invitation[] = [
  invitation(1, 'katherine@northwind.example', {}),
  invitation(2, 'temp@agency.example', {
    role: 'viewer',
    status: 'expired',
    created_at: ago(12, 'days'),
    expires_at: ago(5, 'days'),
  }),
]

const key = (number: number, own: Partial<ApiKey>): ApiKey => ({
  id: id('key', number),
  object: 'api_key',
  name: 'Shop website',
  kind: 'live',
  prefix: 'ars_live_',
  hint: 'hHRb',
  scopes: ['runs:read', 'runs:write', 'agents:read'],
  agent_ids: null,
  expires_at: null,
  last_used_at: ago(0.4),
  created_by: ids.ada,
  created_at: ago(40, 'days'),
  revoked_at: null,
  rotated_to: null,
  grace_until: null,
  exposed_at: null,
  monthly_budget_usd: null,
  budget_action: 'refuse',
  ...own,
})
export const keys: readonly ApiKey[] = [
  key(1, { agent_ids: [ids.refunds, ids.triage] }),
  key(2, {
    name: 'Nightly reports',
    hint: 'q0Lz',
    scopes: ['runs:read', 'agents:read', 'events:read'],
    last_used_at: ago(8, 'hours'),
  }),
  key(3, {
    name: 'Nightly reports',
    hint: 'Tt3e',
    rotated_to: id('key', 2),
    grace_until: ago(-16, 'hours'),
    last_used_at: ago(9, 'hours'),
    created_at: ago(70, 'days'),
  }),
  key(4, {
    name: 'Demo of the fair',
    kind: 'demo',
    prefix: 'ars_demo_',
    hint: 'bb7K',
    expires_at: ago(-3, 'days'),
    created_by: ids.linus,
    last_used_at: ago(2, 'days'),
  }),
  key(5, {
    name: 'Old importer',
    hint: 'M2sd',
    exposed_at: ago(3, 'hours'),
    last_used_at: ago(3, 'hours'),
    created_by: ids.grace,
  }),
  key(6, {
    name: 'Laptop of Linus',
    hint: 'zZ81',
    revoked_at: ago(14, 'days'),
    last_used_at: ago(15, 'days'),
    created_by: ids.linus,
  }),
]

const entry = (number: number, own: Partial<AuditEntry>): AuditEntry => ({
  id: id('aud', number),
  object: 'audit_entry',
  number: 240 - number,
  hash: '5f'.repeat(32),
  canonical: '…',
  actor: { type: 'user', id: ids.grace },
  action: 'agent.updated',
  subject: ids.refunds,
  address: '203.0.113.7',
  request_id: id('req', number),
  before: null,
  after: null,
  created_at: ago(50 + number * 140),
  ...own,
})
const acts: readonly Partial<AuditEntry>[] = [
  { before: { version: 4, 'config.temperature': 0.4 }, after: { version: 5, 'config.temperature': 0.2 } },
  {
    action: 'api_key.rotated',
    subject: id('key', 3),
    actor: { type: 'user', id: ids.ada },
    after: { rotated_to: id('key', 2) },
  },
  { action: 'webhook.created', subject: ids.support, after: { url: 'https://support.northwind.example/ars' } },
  {
    action: 'member.invited',
    subject: id('inv', 1),
    actor: { type: 'user', id: ids.ada },
    after: { email: 'katherine@northwind.example', role: 'developer' },
  },
  {
    action: 'connector.tool_approved',
    subject: ids.shop,
    actor: { type: 'user', id: ids.ada },
    after: { tool: 'find_order' },
  },
  {
    action: 'deployment.promoted',
    subject: id('dep', 4),
    before: { traffic_percent: 25 },
    after: { traffic_percent: 100 },
  },
  {
    action: 'api_key.created',
    subject: id('key', 4),
    actor: { type: 'user', id: ids.linus },
    after: { name: 'Demo of the fair', kind: 'demo' },
  },
  {
    action: 'agent.archived',
    subject: ids.contracts,
    actor: { type: 'key', id: ids.nightKey },
    address: '198.51.100.20',
  },
]
export const auditLog: readonly AuditEntry[] = acts.map((own, n) => entry(n + 1, own))

const seen = (number: number, own: Partial<SessionRecord>): SessionRecord => ({
  id: id('ses', number),
  object: 'session_record',
  organisation_id: ids.organisation,
  is_current: false,
  created_at: ago(number * 5, 'hours'),
  seen_at: ago(number * 3, 'hours'),
  expires_at: ago(-7, 'hours'),
  ended_at: null,
  address: '203.0.113.7',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36',
  ...own,
})
export const sessions: readonly SessionRecord[] = [
  seen(1, { is_current: true, seen_at: ago(0.2) }),
  seen(2, {
    address: '198.51.100.44',
    user_agent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/18.1 Mobile/15E148 Safari/604.1',
  }),
  seen(3, {
    ended_at: ago(2, 'hours'),
    user_agent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0',
  }),
]
