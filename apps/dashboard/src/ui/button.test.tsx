import { expect, test, vi } from 'vitest'
import { render } from 'vitest-browser-react'
import { Button } from './button.tsx'

test('a button that may not be used says why, keeps the focus and does nothing', async () => {
  const onClick = vi.fn()
  const screen = await render(
    <Button reason="You need the role admin." onClick={onClick}>
      Rotate
    </Button>,
  )
  const button = screen.getByRole('button', { name: 'Rotate' })
  await button.click({ force: true })
  expect(onClick).not.toHaveBeenCalled()
  await expect.element(button).toHaveAttribute('aria-disabled', 'true')
  await expect.element(button).toHaveAccessibleDescription('You need the role admin.')
  button.element().focus()
  await expect.element(button).toHaveFocus()
})
