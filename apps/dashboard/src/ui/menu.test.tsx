import { expect, test, vi } from 'vitest'
import { userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { Menu } from './menu.tsx'

const open = async () => {
  const onSelect = vi.fn()
  const screen = await render(
    <>
      <Menu
        label="Actions"
        items={[
          { label: 'Edit', onSelect: () => onSelect('edit') },
          { label: 'Archive', onSelect: () => onSelect('archive'), reason: 'It is archived.' },
          { label: 'Wide', isChecked: true, onSelect: () => onSelect('wide') },
        ]}
      />
      <p>Outside</p>
    </>,
  )
  const button = screen.getByRole('button', { name: 'Actions' })
  return { onSelect, screen, button }
}

test('the keys open a menu, walk through its items, choose one and give the focus back', async () => {
  const { onSelect, screen, button } = await open()
  button.element().focus()
  await userEvent.keyboard('{ArrowDown}')
  await expect.element(screen.getByRole('menuitem', { name: 'Edit' })).toHaveFocus()
  await expect.element(button).toHaveAttribute('aria-expanded', 'true')
  await userEvent.keyboard('{ArrowUp}')
  await expect.element(screen.getByRole('menuitemcheckbox', { name: 'Wide' })).toHaveFocus()
  await userEvent.keyboard('{Home}{End}a')
  await expect.element(screen.getByRole('menuitem', { name: /^Archive/ })).toHaveFocus()
  await userEvent.keyboard('e{Enter}')
  expect(onSelect.mock.calls).toEqual([['edit']])
  await expect.element(screen.getByRole('menu')).not.toBeInTheDocument()
  await expect.element(button).toHaveFocus()
})

test('Escape, Tab and a click outside close a menu without choosing', async () => {
  const { onSelect, screen, button } = await open()
  await button.click()
  await userEvent.keyboard('{Escape}')
  await expect.element(screen.getByRole('menu')).not.toBeInTheDocument()
  await expect.element(button).toHaveFocus()
  await button.click()
  await userEvent.keyboard('{Tab}')
  await expect.element(screen.getByRole('menu')).not.toBeInTheDocument()
  await button.click()
  await expect.element(screen.getByRole('menu')).toBeVisible()
  await screen.getByText('Outside').click()
  await expect.element(screen.getByRole('menu')).not.toBeInTheDocument()
  expect(onSelect).not.toHaveBeenCalled()
})

test('an item that may not be used says why and does nothing; a switch keeps the menu open', async () => {
  const { onSelect, screen, button } = await open()
  button.element().focus()
  await userEvent.keyboard('{ArrowDown}{ArrowDown}')
  const archive = screen.getByRole('menuitem', { name: /^Archive/ })
  await expect.element(archive).toHaveFocus()
  await expect.element(archive).toHaveAttribute('aria-disabled', 'true')
  expect(archive.element().textContent).toBe('ArchiveIt is archived.')
  await userEvent.keyboard('{Enter}{ArrowDown}{Enter}')
  expect(onSelect.mock.calls).toEqual([['wide']])
  await expect.element(screen.getByRole('menu')).toBeVisible()
})
