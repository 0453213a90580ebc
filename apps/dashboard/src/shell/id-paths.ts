/** The page of a thing, by the prefix of its id. */
const paths: Readonly<Record<string, (id: string) => string>> = {
  run: (id) => `/runs/${id}`,
  ag: (id) => `/agents/${id}`,
  con: (id) => `/connectors/${id}`,
  pol: (id) => `/policies/${id}`,
  pl: (id) => `/pipelines/${id}`,
  plr: (id) => `/pipeline-runs/${id}`,
  sch: (id) => `/schedules/${id}`,
  bat: (id) => `/batches/${id}`,
  wh: (id) => `/webhooks/${id}`,
  evt: (id) => `/events/${id}`,
  alt: (id) => `/alerts/${id}`,
  alr: (id) => `/alert-rules/${id}`,
  key: (id) => `/settings/api-keys/${id}`,
  mem: () => '/settings/members',
  aud: (id) => `/settings/audit-log?entry=${id}`,
}

/** Null for an id without a page. */
export const pathOfId = (id: string): string | null => {
  const [, prefix = ''] = /^([a-z]+)_[0-9a-z]+$/.exec(id.trim()) ?? []
  return paths[prefix]?.(id.trim()) ?? null
}
