import type { DeliveryAttempt } from '@agent-run-service/sdk'
import { useMemo, useState } from 'react'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DetailList } from '../../ui/detail-list.tsx'
import { FilterChip } from '../../ui/filter-bar.tsx'
import { bytes, duration } from '../../ui/format.ts'
import { JsonView, LargeText } from '../../ui/json-view.tsx'
import { Time } from '../../ui/time.tsx'

/** Request and response of one attempt. Both are foreign text and are shown as text. */
export const AttemptView = ({ attempt }: { attempt: DeliveryAttempt }) => {
  const { request, response } = attempt
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <section aria-label="Request" className="min-w-0 rounded-lg border border-line p-3">
        <h2 className="mb-2 font-semibold">Request</h2>
        <DetailList
          items={[
            ['Sent', <Time key="at" at={attempt.at} />],
            ['Size', request.body === null ? '–' : bytes(new Blob([request.body]).size)],
          ]}
        />
        <HeaderTable title="Request headers" headers={request.headers} />
        <Body title="Request body" text={request.body} absent="The body was erased, or you lack the scope runs:read." />
      </section>
      <section aria-label="Response" className="min-w-0 rounded-lg border border-line p-3">
        <h2 className="mb-2 font-semibold">Response</h2>
        <DetailList
          items={[
            ['HTTP status', attempt.http_status ?? 'None'],
            ['Duration', duration(attempt.duration_ms)],
            [
              'Error',
              attempt.error === null ? (
                'None'
              ) : (
                <span key="error" className="text-bad [unicode-bidi:isolate]">
                  {attempt.error}
                </span>
              ),
            ],
          ]}
        />
        {response === null ? (
          <p className="mt-3 text-ink-3">There is no response to show.</p>
        ) : (
          <>
            <HeaderTable title="Response headers" headers={response.headers} />
            <Body title="Response body" text={response.body} absent="The response has no body." />
          </>
        )}
      </section>
    </div>
  )
}

const maxHeaderChars = 2_000

const HeaderTable = ({ title, headers }: { title: string; headers: Readonly<Record<string, string>> | null }) => {
  if (headers === null) return null
  return (
    <table aria-label={title} className="mt-3 w-full table-fixed">
      <caption className="mb-1 text-start font-medium text-ink-2">{title}</caption>
      <tbody>
        {Object.entries(headers).map(([name, value]) => (
          <tr key={name} className="align-top">
            <th scope="row" className="w-44 break-words pe-2 text-start font-mono font-normal text-ink-3 text-xs">
              {name}
            </th>
            <td dir="ltr" className="break-all font-mono text-xs [unicode-bidi:isolate]">
              {value.slice(0, maxHeaderChars)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const maxShownChars = 65_536

/** A body as it was sent, or formatted if it is JSON. */
const Body = ({ title, text, absent }: { title: string; text: string | null; absent: string }) => {
  const value = useMemo(() => parsed(text), [text])
  const [isRaw, setIsRaw] = useState(false)
  return (
    <div className="mt-3 min-w-0">
      <div className="mb-1 flex flex-wrap items-center gap-1.5">
        <h3 className="font-medium text-ink-2">{title}</h3>
        {text !== null && text !== '' && (
          <>
            {value !== undefined && (
              <>
                <FilterChip label="Formatted" isOn={!isRaw} onToggle={() => setIsRaw(false)} />
                <FilterChip label="As sent" isOn={isRaw} onToggle={() => setIsRaw(true)} />
              </>
            )}
            <CopyButton text={text} label={`Copy ${title.toLowerCase()}`} />
          </>
        )}
      </div>
      {text === null || text === '' ? (
        <p className="text-ink-3">{absent}</p>
      ) : (
        <div className="overflow-auto rounded-md border border-line bg-sunken p-2">
          {value !== undefined && !isRaw ? <JsonView value={value.json} name="body" /> : <Raw text={text} />}
        </div>
      )}
    </div>
  )
}

const Raw = ({ text }: { text: string }) =>
  text.length > maxShownChars ? (
    <LargeText text={text} name="body" />
  ) : (
    <pre dir="ltr" className="whitespace-pre-wrap break-all font-mono text-xs [unicode-bidi:isolate]">
      {text}
    </pre>
  )

const parsed = (text: string | null): { json: unknown } | undefined => {
  try {
    return text === null || text === '' ? undefined : { json: JSON.parse(text) }
  } catch {
    return undefined
  }
}
