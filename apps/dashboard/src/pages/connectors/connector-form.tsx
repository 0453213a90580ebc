import { type Connector, type ConnectorAuthInput, limits } from '@agent-run-service/sdk'
import { type ReactNode, useState } from 'react'
import { useForm } from 'react-hook-form'
import { refusalsOf } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'
import { CredentialFields } from '../../ui/credential-fields.tsx'
import { Checkbox, TextField } from '../../ui/field.tsx'
import { Problem } from '../../ui/problem.tsx'

export type ConnectorFields = {
  name: string
  url: string
  /** `keep`: the stored credential stays. */
  auth_type: 'keep' | 'none' | 'bearer' | 'header'
  auth_header: string
  auth_secret: string
  approve_tools: boolean
}

const fields = ['name', 'url', 'auth_header', 'auth_secret'] as const

/** A field that is not shown is not checked. */
const credentialRules = {
  auth_type: {},
  auth_header: { required: 'Name the header.', shouldUnregister: true },
  auth_secret: { required: 'Give the credential.', shouldUnregister: true },
} as const

/** The form of a connector, new or stored. `onSend` throws what the service refuses. */
export const ConnectorForm = (props: {
  stored?: Connector
  verb: string
  onSend(fields: ConnectorFields): Promise<void>
  children?: ReactNode
}) => {
  const { stored } = props
  const hasCredential = stored !== undefined && stored.auth.type !== 'none'
  const form = useForm<ConnectorFields>({
    defaultValues: {
      name: stored?.name ?? '',
      url: stored?.url ?? '',
      auth_type: hasCredential ? 'keep' : 'none',
      auth_header: stored?.auth.header ?? '',
      auth_secret: '',
      approve_tools: true,
    },
  })
  const [problem, setProblem] = useState<unknown>(null)
  const { register, formState, watch } = form
  const type = watch('auth_type')
  const errorAt = (field: (typeof fields)[number]) => formState.errors[field]?.message
  const submit = form.handleSubmit(async (values) => {
    setProblem(null)
    try {
      await props.onSend(values)
    } catch (error) {
      const named = refusalsOf(error).map(({ param, message }) => [fieldOf(param), message] as const)
      for (const [field, message] of named) if (field) form.setError(field, { message })
      if (!named.some(([field]) => field)) setProblem(error)
    }
  })
  return (
    <form noValidate className="max-w-[40rem]" onSubmit={(event) => void submit(event)}>
      {problem !== null && <Problem title="Not saved" error={problem} />}
      <TextField
        label="Name"
        isRequired
        maxLength={200}
        error={errorAt('name')}
        {...register('name', { required: 'Give it a name.' })}
      />
      <TextField
        label="URL"
        type="url"
        isRequired
        maxLength={limits.webhookUrlChars}
        help="An MCP server with streamable HTTP: HTTPS on a public host."
        error={errorAt('url')}
        {...register('url', { required: 'Give the address of the server.' })}
      />
      <CredentialFields
        type={type}
        storedHint={hasCredential ? (stored.auth.hint ?? '…') : undefined}
        errors={{ auth_header: errorAt('auth_header'), auth_secret: errorAt('auth_secret') }}
        register={(field) => register(field, credentialRules[field])}
      />
      {(type === 'keep' || type === 'none') && errorAt('auth_secret') !== undefined && (
        <p role="alert" className="mb-3 text-bad text-xs">
          {errorAt('auth_secret')}
        </p>
      )}
      {stored === undefined && (
        <Checkbox
          label="Approve the tools that it lists now"
          help="Without it, approve each tool on the page of the connector."
          {...register('approve_tools')}
        />
      )}
      <div className="mt-3 flex gap-2">
        <Button kind="primary" type="submit" isBusy={formState.isSubmitting}>
          {props.verb}
        </Button>
        {props.children}
      </div>
    </form>
  )
}

/** Undefined: the stored credential stays. */
export const authOf = ({ auth_type, auth_header, auth_secret }: ConnectorFields): ConnectorAuthInput | undefined => {
  if (auth_type === 'keep') return undefined
  if (auth_type === 'bearer') return { type: 'bearer', token: auth_secret }
  return auth_type === 'header' ? { type: 'header', header: auth_header, value: auth_secret } : { type: 'none' }
}

const fieldOf = (param: string): (typeof fields)[number] | undefined => {
  if (param === 'auth' || param.startsWith('auth.')) return param.endsWith('header') ? 'auth_header' : 'auth_secret'
  return fields.find((field) => field === param)
}
