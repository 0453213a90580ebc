import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { account } from '../../api/client.ts'
import { problemOf, statusOf } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'
import { OpenPage } from './open-page.tsx'
import { useTokenOfAddress } from './token-in-address.ts'

/** The link of a mail that proves an address. It works in a session of the same account. */
export const EmailProofPage = () => {
  const token = useTokenOfAddress()
  const navigate = useNavigate()
  const [refusal, setRefusal] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const [email, setEmail] = useState<string>()
  useEffect(() => {
    document.title = 'Confirm your address · Agent Run Service'
  }, [])
  if (token === null || email !== undefined) {
    const isDone = email !== undefined
    return (
      <OpenPage
        title={isDone ? 'The address is confirmed' : 'This link is incomplete'}
        lead={isDone ? `Mails go to ${email}.` : 'Open the whole link, or ask for a new one in your profile.'}
      >
        <Button kind="primary" onClick={() => void navigate({ to: '/settings/profile' })}>
          Open the profile
        </Button>
      </OpenPage>
    )
  }
  const confirm = async () => {
    setIsBusy(true)
    setRefusal(undefined)
    try {
      setEmail((await account.proveEmail({ token })).email)
    } catch (error) {
      setRefusal(
        statusOf(error) === 401
          ? 'Log in in another tab of this browser, then confirm here.'
          : problemOf(error).message,
      )
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <OpenPage
      title="Confirm your address"
      lead="Confirm only if you asked for this mail and are logged in with your own account."
      refusal={refusal}
    >
      <Button kind="primary" isBusy={isBusy} onClick={() => void confirm()} className="w-full">
        Confirm the address
      </Button>
    </OpenPage>
  )
}
