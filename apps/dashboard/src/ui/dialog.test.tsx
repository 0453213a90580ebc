import { useState } from 'react'
import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { SecretOnce } from './secret-once.tsx'
import { Toasts, toast } from './toast.tsx'

const Opened = () => {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Open</Button>
      <Dialog isOpen={isOpen} onClose={() => setIsOpen(false)} title="Rename" description="Give it a name.">
        <Button onClick={() => toast('Renamed')}>Rename</Button>
      </Dialog>
      <Toasts />
    </>
  )
}

const Secret = () => {
  const [secret, setSecret] = useState<string | null>('whsec_1')
  return <SecretOnce title="The secret" description="Store it." secret={secret} onStored={() => setSecret(null)} />
}

test('a dialog has a name and a description, keeps the focus inside, and Escape gives it back', async () => {
  const screen = await render(<Opened />)
  await screen.getByRole('button', { name: 'Open' }).click()
  const dialog = screen.getByRole('dialog', { name: 'Rename' })
  await expect.element(dialog).toHaveAccessibleDescription('Give it a name.')
  expect(dialog.element().contains(document.activeElement)).toBe(true)
  await userEvent.keyboard('{Escape}')
  await expect.element(dialog).not.toBeInTheDocument()
  await expect.element(screen.getByRole('button', { name: 'Open' })).toHaveFocus()
})

test('a click beside a dialog closes it, a press inside that ends beside it does not', async () => {
  const screen = await render(<Opened />)
  await screen.getByRole('button', { name: 'Open' }).click()
  const dialog = screen.getByRole('dialog', { name: 'Rename' })
  const element = dialog.element()
  const press = (type: string, target: Element) => target.dispatchEvent(new MouseEvent(type, { bubbles: true }))
  press('mousedown', element.querySelector('h2') ?? element)
  press('click', element)
  await expect.element(dialog).toBeInTheDocument()
  press('mousedown', element)
  press('click', element)
  await expect.element(dialog).not.toBeInTheDocument()
})

test('a notification can be read and closed while a dialog is open', async () => {
  const screen = await render(<Opened />)
  await screen.getByRole('button', { name: 'Open' }).click()
  await screen.getByRole('button', { name: 'Rename' }).click()
  const dialog = screen.getByRole('dialog', { name: 'Rename' })
  const note = dialog.getByRole('status')
  await expect.element(note).toHaveTextContent('Renamed')
  await note.getByRole('button', { name: 'Close' }).click()
  await expect.element(note).not.toBeInTheDocument()
})

test('a secret that is shown once is not lost by Escape', async () => {
  const screen = await render(<Secret />)
  await userEvent.keyboard('{Escape}{Escape}{Escape}')
  await expect.element(screen.getByText('whsec_1')).toBeVisible()
  await screen.getByRole('button', { name: 'I have stored it' }).click()
  await expect.element(screen.getByText('whsec_1')).not.toBeInTheDocument()
})
