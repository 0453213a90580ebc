import type { ApiKey } from '@agent-run-service/sdk'
import { limits } from '@agent-run-service/sdk'
import { useState } from 'react'
import { useApiKeyChanges } from '../../api/api-keys.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { Checkbox } from '../../ui/field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { toast } from '../../ui/toast.tsx'
import { changesOf, emptyFields, expiryOf, fieldsOfKey } from './key-fields.ts'
import { KeyForm } from './key-form.tsx'
import { maskedKey } from './key-state.ts'

/** The open dialog: about one key, or the one that creates a key. */
export type KeyDialog = { act: 'create' } | { act: 'edit' | 'rotate' | 'revoke'; key: ApiKey }

/** The dialogs of keys, and the secret that each shows once. */
export const KeyDialogs = ({ open, onClose }: { open: KeyDialog | null; onClose(): void }) => {
  const { create, update } = useApiKeyChanges()
  const [secret, setSecret] = useState<{ text: string; isRotated: boolean } | null>(null)
  return (
    <>
      <Dialog isOpen={open?.act === 'create'} onClose={onClose} title="Create an API key" width="wide">
        <KeyForm
          start={emptyFields}
          verb="Create key"
          onCancel={onClose}
          onSubmit={async (fields) => {
            const { name, kind, scopes, agentIds } = fields
            const made = await create({
              name: name.trim(),
              kind,
              scopes: [...scopes],
              agent_ids: agentIds === null ? null : [...agentIds],
              expires_at: expiryOf(fields, Date.now()),
            })
            onClose()
            setSecret({ text: made.key ?? '', isRotated: false })
          }}
        />
      </Dialog>
      {open?.act === 'edit' && (
        <Dialog isOpen onClose={onClose} title={`Change ${open.key.name}`} width="wide">
          <KeyForm
            start={fieldsOfKey(open.key)}
            verb="Save"
            isKindFixed
            onCancel={onClose}
            onSubmit={async (fields) => {
              const changes = changesOf(open.key, fields, Date.now())
              if (Object.keys(changes).length > 0) await update(open.key.id, changes)
              onClose()
              toast('The key is changed', 'The change takes effect everywhere within 5 seconds.')
            }}
          />
        </Dialog>
      )}
      {open?.act === 'rotate' && (
        <RotateDialog
          apiKey={open.key}
          onClose={onClose}
          onRotated={(text) => {
            onClose()
            setSecret({ text, isRotated: true })
          }}
        />
      )}
      {open?.act === 'revoke' && <RevokeDialog apiKey={open.key} onClose={onClose} />}
      <SecretOnce
        title={secret?.isRotated ? 'The new key' : 'Your API key'}
        description={
          secret?.isRotated
            ? `Put it where the old one is. It is shown once. The old key works for another ${limits.keyGraceHours} hours.`
            : 'Store it now. It is shown once and cannot be shown again.'
        }
        secret={secret?.text ?? null}
        onStored={() => setSecret(null)}
      />
    </>
  )
}

const RotateDialog = (props: { apiKey: ApiKey; onClose(): void; onRotated(secret: string): void }) => {
  const { rotate } = useApiKeyChanges()
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const start = async () => {
    setIsBusy(true)
    setError(null)
    try {
      props.onRotated((await rotate(props.apiKey.id)).key ?? '')
    } catch (caught) {
      setError(caught)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <Dialog isOpen onClose={props.onClose} title={`Rotate ${props.apiKey.name}`}>
      <ul className="mb-3 list-disc ps-5">
        <li>You get a new key with the same name, scopes, agents and expiry. It is shown once.</li>
        <li>
          The old key <code className="font-mono text-xs">{maskedKey(props.apiKey)}</code> works for another{' '}
          {limits.keyGraceHours} hours. You can revoke it earlier.
        </li>
        <li>Both keys share one rate limit until then.</li>
      </ul>
      {error !== null && <Problem title="Rotate key: failed" error={error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={props.onClose}>Keep the key</Button>
        <Button kind="primary" isBusy={isBusy} onClick={() => void start()}>
          Rotate key
        </Button>
      </div>
    </Dialog>
  )
}

const RevokeDialog = ({ apiKey, onClose }: { apiKey: ApiKey; onClose(): void }) => {
  const { revoke } = useApiKeyChanges()
  const [withDescendants, setWithDescendants] = useState(false)
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Revoke ${apiKey.name}`}
      description={`The key ${maskedKey(apiKey)} and its tokens stop working everywhere within 5 seconds, permanently.`}
      verb="Revoke key"
      onConfirm={async () => {
        const { descendants_revoked: others } = await revoke(apiKey.id, withDescendants)
        toast('The key is revoked', others > 0 ? `${others} keys below it are revoked too.` : undefined)
      }}
    >
      <div className="mb-3">
        <Checkbox
          label="Revoke the keys below it too"
          help="These are the keys that it created, its successor after a rotation, and theirs."
          checked={withDescendants}
          onChange={({ target }) => setWithDescendants(target.checked)}
        />
      </div>
    </ConfirmDialog>
  )
}
