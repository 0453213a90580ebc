import type { CatalogAgent } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { agentNamesQuery } from '../../api/agents.ts'
import { catalogEntryQuery } from '../../api/catalog.ts'
import { useReason } from '../../session.ts'
import { MissingState } from '../../shell/missing-state.tsx'
import { Button } from '../../ui/button.tsx'
import { DetailList } from '../../ui/detail-list.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { HireDialog } from './hire-dialog.tsx'

export const CatalogPage = () => {
  const { key } = useParams({ from: '/app/catalog/$key' })
  const entry = useQuery(catalogEntryQuery(key))
  const [isHiring, setIsHiring] = useState(false)
  const reason = useReason('agents:write')
  if (entry.isPending) return <Skeleton />
  if (!entry.data) {
    return <MissingState what="Catalog agent" id={key} error={entry.error} onRetry={() => void entry.refetch()} />
  }
  return (
    <>
      <PageHeader title={entry.data.name} trail={<Link to="/catalog">Catalog</Link>}>
        <Button kind="primary" reason={reason} onClick={() => setIsHiring(true)}>
          Hire
        </Button>
      </PageHeader>
      <Entry entry={entry.data} />
      {isHiring && <HireDialog entry={entry.data} onClose={() => setIsHiring(false)} />}
    </>
  )
}

const Entry = ({ entry }: { entry: CatalogAgent }) => {
  const { data: agents = [] } = useQuery(agentNamesQuery)
  const hired = agents.filter(({ catalog_key }) => catalog_key === entry.key)
  return (
    <div className="grid grid-cols-1 gap-x-6 gap-y-5 p-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="flex min-w-0 flex-col gap-5">
        <p className="max-w-prose text-base">{entry.description}</p>
        <div className="grid gap-4 xl:grid-cols-2">
          <Sample title="Sample input" value={entry.sample_input} />
          {entry.sample_output === null ? (
            <section>
              <h2 className="mb-2 font-semibold">Sample output</h2>
              <p className="text-ink-2">It answers differently each time. Hire it and try it.</p>
            </section>
          ) : (
            <Sample title="Sample output" value={entry.sample_output} />
          )}
        </div>
        {typeof entry.config.instructions === 'string' && (
          <section>
            <h2 className="mb-2 font-semibold">Instructions</h2>
            <pre
              // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling block must be reachable by keyboard.
              tabIndex={0}
              className="max-h-96 overflow-auto whitespace-pre-wrap rounded-md border border-line bg-sunken p-3 font-mono text-xs"
            >
              {entry.config.instructions}
            </pre>
          </section>
        )}
      </div>
      <div className="flex min-w-0 flex-col gap-5">
        <DetailList
          items={[
            [
              'Key',
              <code key="key" className="font-mono text-xs">
                {entry.key}
              </code>,
            ],
            ['Version', entry.version],
            ['Category', entry.category],
            [
              'Model',
              <code key="model" className="font-mono text-xs">
                {String(entry.config.model)}
              </code>,
            ],
            ['Needs', entry.needs_connector ? 'One of your connectors' : 'Nothing'],
          ]}
        />
        {hired.length > 0 && (
          <section>
            <h2 className="mb-2 font-semibold">Hired here</h2>
            <ul>
              {hired.slice(0, 20).map(({ id, name }) => (
                <li key={id}>
                  <Link to="/agents/$agentId" params={{ agentId: id }} className="text-accent underline">
                    {name}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </div>
  )
}

const Sample = ({ title, value }: { title: string; value: unknown }) => (
  <section className="min-w-0">
    <h2 className="mb-2 font-semibold">{title}</h2>
    <div className="rounded-md border border-line bg-sunken p-3">
      <JsonView value={value} name={title} />
    </div>
  </section>
)
