import type { Request, Statement, Text, TextPart } from './request.ts'

const credential = '-H "Authorization: Bearer $ARS_API_KEY"'

export const curlSetup = `. ~/.agent-run-service/env  # after npx agent-run-service; in a clone: . .dev/env
# For another service: export ARS_BASE_URL=https://… ARS_API_KEY=ars_…
`

/** The steps of a block with curl and jq, for any shell. */
export const renderCurl = (statements: readonly Statement[]): string =>
  statements.map((statement) => `${lineText(statement)}\n`).join('')

const lineText = (statement: Statement): string => {
  switch (statement.kind) {
    case 'setup':
      return curlSetup.trimEnd()
    case 'sleep':
      return `sleep ${statement.seconds}`
    case 'text':
      return `${statement.save}="${statement.text.map(partOf).join('')}"`
    case 'agent':
      return `${statement.save}=$(${curl(lookup(statement.agent))} | ${filterOf('data.0.id')})`
    case 'field': {
      const read = `echo "$${statement.of}" | ${filterOf(statement.field)}`
      return statement.save === undefined ? read : `${statement.save}=$(${read})`
    }
    case 'wait':
      return `until [ "$(${curl(statement.request)} |\n  ${filterOf(statement.field)})" = ${statement.value} ]; do sleep 1; done`
    case 'request': {
      const sent = curl(statement.request)
      const filter = statement.field === undefined ? '' : filterOf(statement.field)
      const isLong = sent.length + filter.length > 80 && !sent.includes('\n')
      const read = filter === '' ? sent : `${sent} |${isLong ? '\n  ' : ' '}${filter}`
      return statement.save === undefined ? read : `${statement.save}=$(${read})`
    }
  }
}

const lookup = (agent: string): Request => ({
  method: 'GET',
  path: ['/agents'],
  query: [{ name: 'q', value: [agent], isEncoded: false }],
  headers: [],
  showsHeaders: false,
})

/** Every option that does not fit into the first line has its own. */
const curl = (request: Request): string => {
  const { method, path, query, headers, body, showsHeaders } = request
  const pairs = query.filter(({ isEncoded }) => !isEncoded).map(({ name, value }) => `${name}=${textOf(value)}`)
  const address = `"$ARS_BASE_URL${textOf(path)}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}"`
  const usual = body ? 'POST' : 'GET'
  const streams = textOf(path).endsWith('/stream')
  const flags = `-${streams ? 'N' : ''}sS${showsHeaders ? 'i' : ''}${pairs.some((pair) => pair.includes('[')) ? 'g' : ''}`
  const encoded = query.filter(({ isEncoded }) => isEncoded)
  const options = [
    credential,
    ...(method === usual ? [] : [`-X ${method}`]),
    ...headers.map(({ name, value }) => `-H "${name}: ${textOf(value)}"`),
    ...(body ? ["-H 'Content-Type: application/json'"] : []),
    ...(encoded.length > 0 ? ['-G'] : []),
    ...encoded.map(({ name, value }) => `--data-urlencode "${name}=${textOf(value)}"`),
    ...(body ? [`-d ${body.source}`] : []),
  ]
  const line = [`curl ${flags} ${address}`, ...options].join(' ')
  return line.length <= 80 && !line.includes('\n') ? line : [`curl ${flags} ${address}`, ...options].join(' \\\n  ')
}

const filterOf = (field: string): string => `jq -r '.${field.replaceAll(/\.(\d+)/g, '[$1]')}'`

const textOf = (text: Text): string => text.map(partOf).join('')

const partOf = (part: TextPart): string => {
  if (typeof part === 'string') return part
  if ('variable' in part) return `$${part.variable}`
  if ('clock' in part) return part.clock === 'month' ? '$(date -u +%Y-%m)' : '$(date +%s)'
  return `$(jq -nr '(now - ${part.agoMs / 1000}) | todate')`
}
