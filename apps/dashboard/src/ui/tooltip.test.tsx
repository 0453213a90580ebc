import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { IconButton } from './button.tsx'
import { Tooltips } from './tooltip.tsx'

const show = () =>
  render(
    <>
      <Tooltips />
      <p>Elsewhere</p>
      <IconButton label="Zoom in">+</IconButton>
      <IconButton label="Zoom out">-</IconButton>
    </>,
  )

test('a tooltip comes with the focus of the keyboard, follows it, and Escape hides it', async () => {
  const screen = await show()
  await userEvent.keyboard('{Tab}')
  const tip = screen.getByRole('tooltip')
  await expect.element(tip).toHaveTextContent('Zoom in')
  await userEvent.keyboard('{Tab}')
  await expect.element(tip).toHaveTextContent('Zoom out')
  await userEvent.keyboard('{Escape}')
  await expect.element(tip).not.toBeInTheDocument()
})

test('a tooltip comes with the pointer and goes with it', async () => {
  const screen = await show()
  await screen.getByRole('button', { name: 'Zoom in' }).hover()
  await expect.element(screen.getByRole('tooltip')).toHaveTextContent('Zoom in')
  await screen.getByText('Elsewhere').hover()
  await expect.element(screen.getByRole('tooltip')).not.toBeInTheDocument()
})
