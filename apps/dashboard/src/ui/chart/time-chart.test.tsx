import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { TimeChart } from './time-chart.tsx'

const times = [0, 1, 2].map((minute) => new Date(Date.UTC(2026, 0, 1, 12, minute)))
const chart = (
  <TimeChart
    title="Failure rate"
    times={times}
    series={[
      { id: 'old', name: 'Version 1', tone: 'good', values: [1, 2, null] },
      { id: 'new', name: 'Version 2', tone: 'accent', values: [3, null, 5] },
    ]}
    kind="lines"
    format={(value) => `${value} %`}
    threshold={{ value: 4, name: 'Rule' }}
  />
)

test('arrow keys read the values, and a gap reads as a dash', async () => {
  const screen = await render(<div style={{ width: 600 }}>{chart}</div>)
  const image = screen.getByRole('img', { name: /^Failure rate\. Arrow keys/ })
  await expect.element(image).toBeVisible()
  await userEvent.tab()
  await userEvent.tab()
  await expect.element(image).toHaveFocus()
  await userEvent.keyboard('{ArrowRight}{ArrowRight}')
  const told = screen.container.querySelector('[aria-live]')
  expect(told?.textContent).toContain('Version 12 %')
  expect(told?.textContent).toContain('Version 2–')
  await userEvent.keyboard('{End}')
  expect(told?.textContent).toContain('5 %')
})

test('shows the same values as a table', async () => {
  const screen = await render(<div style={{ width: 600 }}>{chart}</div>)
  await screen.getByRole('button', { name: 'Show as table' }).click()
  const rows = [...screen.container.querySelectorAll('tbody tr')].map((row) =>
    [...row.querySelectorAll('td')].map((cell) => cell.textContent),
  )
  expect(rows).toEqual([
    ['–', '5 %'],
    ['2 %', '–'],
    ['1 %', '3 %'],
  ])
  await screen.getByRole('button', { name: 'Show as chart' }).click()
  await expect.element(screen.getByRole('img', { name: /Failure rate/ })).toBeVisible()
})
