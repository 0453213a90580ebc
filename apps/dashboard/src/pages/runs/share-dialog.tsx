import type { RunShare } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { sharesQuery, useShareMutations } from '../../api/shares.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { Time } from '../../ui/time.tsx'
import { toast, toastProblem } from '../../ui/toast.tsx'
import { RunPerson } from './run-person.tsx'

const lifetimes = [
  ['1 hour', 3_600],
  ['1 day', 86_400],
  ['7 days', 604_800],
  ['30 days', 2_592_000],
] as const

/** Makes, lists and revokes the links to a run. A new link is shown once. */
export const ShareDialog = ({ runId, isOpen, onClose }: { runId: string; isOpen: boolean; onClose(): void }) => {
  const [link, setLink] = useState<string | null>(null)
  return (
    <>
      <Dialog
        isOpen={isOpen && link === null}
        onClose={onClose}
        title="Share this run"
        description="Everyone who has the link can read this run without an account: input, output, metadata and steps with their tool calls. They see nothing else and can change nothing."
        width="wide"
      >
        <NewLink runId={runId} onMade={setLink} />
        <Links runId={runId} />
      </Dialog>
      <SecretOnce
        title="The link to this run"
        description="It is shown only now. Send it only to people who may see the run."
        secret={link}
        onStored={() => setLink(null)}
      />
    </>
  )
}

const NewLink = ({ runId, onMade }: { runId: string; onMade(link: string): void }) => {
  const { create } = useShareMutations(runId)
  const [seconds, setSeconds] = useState('604800')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const { url } = await create.mutateAsync(Number(seconds))
    if (url !== null) onMade(url)
  }
  return (
    <form onSubmit={(event) => void submit(event).catch(() => undefined)} className="mb-4">
      <SelectField label="The link works for" value={seconds} onChange={({ target }) => setSeconds(target.value)}>
        {lifetimes.map(([name, value]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </SelectField>
      {create.error && <Problem title="No link was made" error={create.error} />}
      <Button kind="primary" type="submit" isBusy={create.isPending}>
        Create link
      </Button>
    </form>
  )
}

const Links = ({ runId }: { runId: string }) => {
  const { data, error, refetch } = useQuery(sharesQuery(runId))
  if (error) return <Problem title="Links: not loaded" error={error} onRetry={() => void refetch()} />
  if (!data) return null
  return (
    <section aria-label="Links" className="border-line border-t pt-3">
      <h3 className="mb-1 font-medium text-ink-3 text-xs">Links that work</h3>
      {data.length === 0 ? (
        <p className="text-ink-2">This run is not shared.</p>
      ) : (
        <ul>
          {data.map((share) => (
            <Link key={share.id} runId={runId} share={share} />
          ))}
        </ul>
      )}
    </section>
  )
}

const Link = ({ runId, share }: { runId: string; share: RunShare }) => {
  const { revoke } = useShareMutations(runId)
  const onError = (error: unknown) => toastProblem('The link was not revoked', error)
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b py-1.5 last:border-b-0">
      <span className="min-w-0 flex-1 basis-56 break-words [unicode-bidi:isolate]">
        By <RunPerson id={share.created_by} />, <Time at={share.created_at} />
      </span>
      <span className="text-ink-2">
        ends <Time at={share.expires_at} />
      </span>
      <Button
        kind="danger"
        isBusy={revoke.isPending}
        onClick={() => revoke.mutate(share.id, { onSuccess: () => toast('The link was revoked'), onError })}
      >
        Revoke
      </Button>
    </li>
  )
}
