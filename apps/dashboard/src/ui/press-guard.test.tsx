import { useState } from 'react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { Button } from './button.tsx'
import { guardPresses, newControlMs } from './press-guard.ts'
import { Toasts } from './toast.tsx'

/** Each press decides the question that is shown and shows the next one at the same place. */
const Questions = ({ onApprove }: { onApprove(question: number): void }) => {
  const [question, setQuestion] = useState(1)
  const approve = () => {
    onApprove(question)
    setQuestion(question + 1)
  }
  return (
    <>
      <Button key={question} onClick={approve}>
        Approve
      </Button>
      <p>Question {question}</p>
      <p style={{ marginTop: '5rem' }}>Elsewhere</p>
      <Toasts />
    </>
  )
}

/** One button whose words and effect change. */
const Cancelling = ({ onPress }: { onPress(words: string): void }) => {
  const [words, setWords] = useState('Cancel')
  const press = () => {
    onPress(words)
    setWords('Run again')
  }
  return (
    <Button onClick={press} style={{ width: '10rem' }}>
      {words}
    </Button>
  )
}

const guarded = () => {
  let at = 0
  onTestFinished(guardPresses(() => at))
  return { pass: (ms: number) => (at += ms) }
}

test('the second press at one place does not decide the question that came there', async () => {
  guarded()
  const onApprove = vi.fn()
  const screen = await render(<Questions onApprove={onApprove} />)
  const button = screen.getByRole('button', { name: 'Approve' })
  await button.click()
  await button.click()
  await expect.element(screen.getByText('Nothing was pressed').first()).toBeInTheDocument()
  expect(onApprove.mock.calls).toEqual([[1]])
  await screen.getByText('Elsewhere').hover()
  await button.click()
  expect(onApprove.mock.calls).toEqual([[1], [2]])
})

test('a control that stood under the pointer long enough can be pressed there, and so can one by key', async () => {
  const { pass } = guarded()
  const onApprove = vi.fn()
  const screen = await render(<Questions onApprove={onApprove} />)
  const button = screen.getByRole('button', { name: 'Approve' })
  await button.click()
  await button.click()
  pass(newControlMs)
  await button.click()
  expect(onApprove.mock.calls).toEqual([[1], [2]])
  button.element().focus()
  await userEvent.keyboard('{Enter}')
  expect(onApprove.mock.calls).toEqual([[1], [2], [3]])
})

test('a button that changes its words is another button, and one that keeps them can be pressed again', async () => {
  guarded()
  const onPress = vi.fn()
  const screen = await render(
    <>
      <Cancelling onPress={onPress} />
      <Button onClick={() => onPress('Next')}>Next</Button>
    </>,
  )
  await screen.getByRole('button', { name: 'Cancel' }).click()
  await screen.getByRole('button', { name: 'Run again' }).click()
  expect(onPress.mock.calls).toEqual([['Cancel']])
  const next = screen.getByRole('button', { name: 'Next' })
  await next.click()
  await next.click()
  expect(onPress.mock.calls).toEqual([['Cancel'], ['Next'], ['Next']])
})
