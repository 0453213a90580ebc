import { runStatuses } from '@agent-run-service/sdk'
import { type ReactNode, useState } from 'react'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button, type ButtonKind, IconButton } from '../../ui/button.tsx'
import { CodeTabs } from '../../ui/code-tabs.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { DetailList, FactsLine } from '../../ui/detail-list.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Checkbox, SelectField, TextArea, TextField } from '../../ui/field.tsx'
import { FilterBar, FilterChip, FilterSelect } from '../../ui/filter-bar.tsx'
import { Id } from '../../ui/id.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { Time } from '../../ui/time.tsx'
import { toast, toastProblem } from '../../ui/toast.tsx'

const kinds: readonly ButtonKind[] = ['primary', 'plain', 'quiet', 'danger']
const tones: readonly Tone[] = ['plain', 'good', 'bad', 'warn', 'run', 'accent']
const at = '2026-03-02T12:00:00Z'
const rows = Array.from({ length: 3 }, (_, n) => ({ id: `row_${n}`, name: `Row ${n}` }))
const schema = {
  type: 'object',
  required: ['question'],
  properties: {
    question: { type: 'string', description: 'What to answer.' },
    language: { type: 'string', enum: ['en', 'de'] },
    temperature: { type: 'number' },
    isShort: { type: 'boolean', title: 'Answer in one sentence' },
    tags: { type: 'array', items: { type: 'string' } },
  },
} as const

/** Every component in every state. Development builds only; the tests visit it. */
export const LabPage = () => (
  <main className="grid gap-6 bg-surface p-4">
    <h1 className="font-semibold text-lg">Components</h1>
    <Part title="Buttons">
      {kinds.map((kind) => (
        <span key={kind} className="flex gap-2">
          <Button kind={kind}>{kind}</Button>
          <Button kind={kind} isBusy>
            {kind}, busy
          </Button>
          <Button kind={kind} reason="You may not do this.">
            {kind}, off
          </Button>
        </span>
      ))}
      <IconButton label="An icon">i</IconButton>
      <CopyButton text="copied" label="Copy">
        Copy
      </CopyButton>
      <Menu
        label="Actions"
        items={[
          { label: 'One', onSelect: () => undefined },
          { label: 'Two', onSelect: () => undefined, reason: 'Not now.' },
        ]}
      />
    </Part>
    <Part title="Badges">
      {tones.map((tone) => (
        <Badge key={tone} label={tone} tone={tone} />
      ))}
      {[...runStatuses, 'newer'].map((status) => (
        <StatusBadge key={status} status={status} />
      ))}
      <Time at={at} /> <Time at={null} /> <Id id="run_01m7j17dere0a9w2de61raqyzh" isShort />
    </Part>
    <Part title="Fields">
      <div className="w-80">
        <TextField label="Text" help="A help." />
        <TextField label="Wrong" error="This is wrong." isRequired defaultValue="x" />
        <TextArea label="Long text" rows={2} />
        <SelectField label="Choice">
          <option>One</option>
        </SelectField>
        <Checkbox label="Check" help="A help." />
      </div>
      <SchemaLab />
    </Part>
    <Part title="Filters">
      <FilterBar onClear={() => undefined}>
        <FilterChip label="On" isOn onToggle={() => undefined} />
        <FilterChip label="Off" isOn={false} onToggle={() => undefined} />
        <FilterSelect label="Agent" value="a" options={[['a', 'An agent']]} onChange={() => undefined} />
      </FilterBar>
    </Part>
    <Part title="Bars and states">
      <div className="w-full">
        <Banner tone="info">Information</Banner>
        <Banner tone="warn" action={<Button isSmall>Do it</Button>}>
          A warning
        </Banner>
        <Banner tone="bad">A failure</Banner>
        <Problem title="Not loaded" error={new Error('The service did not answer.')} onRetry={() => undefined} />
        <EmptyState title="Nothing yet" action={<Button>Begin</Button>}>
          What this is for.
        </EmptyState>
        <Skeleton rows={3} />
        <FactsLine
          items={[
            ['Duration', '23.4 s'],
            ['Cost', '$0.002'],
          ]}
        />
        <DetailList
          items={[
            ['Name', 'A value'],
            ['Other', 'Another value'],
          ]}
        />
      </div>
    </Part>
    <Part title="Data">
      <div className="w-full">
        <DataTable
          isInline
          label="Rows"
          rows={rows}
          hrefOf={({ id }) => `/lab/${id}`}
          columns={[
            { id: 'name', title: 'Name', cell: ({ name }) => name },
            { id: 'id', title: 'Id', cell: ({ id }) => id },
          ]}
        />
        <JsonView value={{ text: '<img src=x onerror=alert(1)>', list: [1, true, null, { deep: { deeper: 1 } }] }} />
        <CodeTabs
          label="Code"
          samples={[
            { title: 'curl', code: 'curl https://example.com' },
            { title: 'Go', code: 'package main' },
          ]}
        />
      </div>
    </Part>
    <Dialogs />
  </main>
)

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section aria-label={title}>
    <h2 className="mb-2 font-semibold">{title}</h2>
    <div className="flex flex-wrap items-start gap-3">{children}</div>
  </section>
)

const SchemaLab = () => {
  const [value, setValue] = useState<unknown>({ extra: 'kept' })
  return (
    <div className="w-80">
      <SchemaForm schema={schema} value={value} onChange={setValue} problems={{ '/temperature': 'must be a number' }} />
      <output data-value className="font-mono text-xs">
        {JSON.stringify(value)}
      </output>
    </div>
  )
}

const Dialogs = () => {
  const [open, setOpen] = useState<'dialog' | 'confirm' | 'secret' | null>(null)
  const close = () => setOpen(null)
  return (
    <Part title="Dialogs">
      <Button onClick={() => setOpen('dialog')}>Open dialog</Button>
      <Button onClick={() => setOpen('confirm')}>Open confirmation</Button>
      <Button onClick={() => setOpen('secret')}>Open secret</Button>
      <Button onClick={() => toast('Done.')}>Toast</Button>
      <Button onClick={() => toastProblem('Failed', new Error('A reason.'))}>Toast of a problem</Button>
      <Dialog isOpen={open === 'dialog'} onClose={close} title="A dialog" description="With a description.">
        Content
      </Dialog>
      <ConfirmDialog
        isOpen={open === 'confirm'}
        onClose={close}
        title="Erase?"
        description="This cannot be undone."
        verb="Erase"
        phrase="qyzh12"
        onConfirm={() => Promise.resolve()}
      />
      <SecretOnce
        title="A secret"
        description="Shown once."
        secret={open === 'secret' ? 'ars_live_secret' : null}
        onStored={close}
      />
    </Part>
  )
}
