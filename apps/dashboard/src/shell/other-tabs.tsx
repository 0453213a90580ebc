import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { account } from '../api/client.ts'
import { useSession } from '../session.ts'
import { Button } from '../ui/button.tsx'

type Message = { kind: 'logout' } | { kind: 'organisation'; id: string; name: string }

const channelName = 'ars'

export const tellOtherTabs = (message: Message): void => {
  const channel = new BroadcastChannel(channelName)
  channel.postMessage(message)
  channel.close()
}

/**
 * Two tabs share one cookie. If another tab changed the organisation, this one is covered, so that nothing is written to
 * the wrong organisation. Null: the tab may be used.
 */
export const useOtherTabs = (): ReactNode => {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const session = useSession()
  const [other, setOther] = useState<string | null>(null)
  const ownId = session.organisation.id
  useEffect(() => {
    const channel = new BroadcastChannel(channelName)
    channel.onmessage = ({ data }: MessageEvent<Message>) => {
      if (data.kind === 'organisation') setOther(data.id === ownId ? null : data.name)
      else void navigate({ to: '/login', search: {} }).then(() => queryClient.clear())
    }
    const compare = async () => {
      if (document.visibilityState !== 'visible') return
      const me = await account.me().catch(() => undefined)
      if (me && 'user' in me) setOther(me.organisation.id === ownId ? null : me.organisation.name)
    }
    const onVisible = () => void compare()
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      channel.close()
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [ownId, queryClient, navigate])
  if (other === null) return null
  return (
    <div
      role="alertdialog"
      aria-modal="true"
      aria-label="The organisation changed"
      className="fixed inset-0 z-50 grid place-items-center bg-canvas/90 p-6"
    >
      <div className="max-w-sm rounded-xl border border-line bg-raised p-5 shadow-2xl">
        <p className="mb-3 font-medium">This browser now speaks for {other}.</p>
        <Button kind="primary" onClick={() => location.reload()}>
          Reload
        </Button>
      </div>
    </div>
  )
}
