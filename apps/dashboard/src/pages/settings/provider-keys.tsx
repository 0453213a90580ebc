import type { ProviderKey, SetProviderKey } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { modelsQuery, providerKeysQuery, useProviderKeyChanges } from '../../api/models.ts'
import { useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'

type Provider = SetProviderKey['provider']

const providers: Readonly<Record<Provider, string>> = { openai: 'OpenAI', anthropic: 'Anthropic', google: 'Google' }

/** The keys of model vendors: which are entered, a form for one, and its removal. */
export const ProviderKeys = () => {
  const reason = useReason('keys:read')
  return (
    <section aria-labelledby="providers">
      <h2 id="providers" className="mb-2 font-semibold">
        Model providers
      </h2>
      {reason === undefined ? <Keys /> : <p className="text-ink-2">{reason}</p>}
    </section>
  )
}

const Keys = () => {
  const { data, error, refetch } = useQuery(providerKeysQuery)
  const models = useQuery(modelsQuery)
  const reason = useReason('keys:write')
  const { remove } = useProviderKeyChanges()
  const [entered, setEntered] = useState<Provider | null>(null)
  const [removed, setRemoved] = useState<Provider | null>(null)
  if (error) return <Problem title="Keys: not loaded" error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton />
  const isOffered = (name: string): boolean => models.data?.some(({ provider }) => provider === name) ?? false
  const isSimulatedOnly = models.data?.every(({ provider }) => provider === 'simulated') ?? false
  return (
    <>
      {isSimulatedOnly && (
        <p className="mb-2 text-ink-2">Only simulated models answer. Enter a key to call the models of a provider.</p>
      )}
      <ul className="border border-line">
        {(Object.keys(providers) as Provider[]).map((name) => {
          const key = data.find(({ id }) => id === name)
          return (
            <li key={name} className="flex items-center gap-2 border-line border-b p-2 last:border-b-0">
              <span className="w-24 font-medium">{providers[name]}</span>
              <span className="flex-1 text-ink-2">{stateOf(key, isOffered(name))}</span>
              <Button
                reason={reason}
                onClick={() => setEntered(name)}
                aria-label={`${key ? 'Replace the key' : 'Enter key'} of ${providers[name]}`}
              >
                {key ? 'Replace' : 'Enter key'}
              </Button>
              {key && (
                <Button
                  kind="quiet"
                  reason={reason}
                  onClick={() => setRemoved(name)}
                  aria-label={`Remove the key of ${providers[name]}`}
                >
                  Remove
                </Button>
              )}
            </li>
          )
        })}
      </ul>
      {entered && <KeyDialog provider={entered} onClose={() => setEntered(null)} />}
      <ConfirmDialog
        isOpen={removed !== null}
        onClose={() => setRemoved(null)}
        title={`Remove the key of ${removed ? providers[removed] : ''}`}
        description="The next model call uses the key of the operator, or fails if there is none."
        verb="Remove key"
        onConfirm={async () => {
          if (!removed) return
          await remove(removed)
          toast('The key is removed.')
        }}
      />
    </>
  )
}

const stateOf = (key: ProviderKey | undefined, isOffered: boolean) => {
  if (!key) return isOffered ? 'The operator’s key' : 'No key'
  return (
    <>
      <span className="font-mono">{key.key_hint ?? 'Your key'}</span>, <Time at={key.updated_at} />
    </>
  )
}

const KeyDialog = ({ provider, onClose }: { provider: Provider; onClose(): void }) => {
  const { set } = useProviderKeyChanges()
  const [problem, setProblem] = useState<unknown>(null)
  const { register, handleSubmit, formState } = useForm({ defaultValues: { key: '' } })
  const submit = handleSubmit(async ({ key }) => {
    setProblem(null)
    try {
      await set(provider, key.trim())
      toast(`The key of ${providers[provider]} is stored.`)
      onClose()
    } catch (error) {
      setProblem(error)
    }
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Key of ${providers[provider]}`}
      description="All models of the provider can be used at once, and calls are charged to the account of this key. It is stored encrypted, and is not shown again."
    >
      <form onSubmit={(event) => void submit(event)}>
        <TextField label="API key" type="password" autoComplete="off" isRequired {...register('key')} />
        {problem !== null && <Problem title="The key was not stored" error={problem} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" type="submit" isBusy={formState.isSubmitting}>
            Store
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
