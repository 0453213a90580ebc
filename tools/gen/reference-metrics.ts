import type { MetricRow } from '@ars/core/metric-list'
import { pageHead, table } from './markdown.ts'

/** The page of metrics: a row for each metric of the one list. */
export const metricsPage = (list: Readonly<Record<string, MetricRow>>): string => {
  const rows = Object.entries(list).map(([name, { kind, role, labels, description, actWhen = '', isShared }]) => [
    `\`${name}${labels.length > 0 ? `{${labels.join(',')}}` : ''}\``,
    kind,
    role,
    description + (isShared ? ' Shared.' : ''),
    actWhen,
  ])
  return `${pageHead('Metrics', '`packages/core/src/metric-list.ts`')}
Each process serves these metrics in the text format of Prometheus at \`/metrics\` on its private port ([Operate](../operate/README.md#metrics)). The unit is the end of
the name. A metric that cannot be read, for example while the database is down, has no value. A **shared** metric is read from the database by every worker:
use the maximum, not the sum. Labels have values of the service or of the operator only; customers cannot add any.

${table(['Metric', 'Type', 'Role', 'Meaning', 'Act when'], rows)}
`
}
