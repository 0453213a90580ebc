import type { Task, TaskOutcome } from '@ars/platform/thread-pool'
import { describe, expect, test } from 'vitest'
import { templateLimits } from '../expressions/index.ts'
import { promptsBounds } from './bounds.ts'
import { createInputTemplates } from './input-template.service.ts'
import { templateTasks } from './input-template-task.service.ts'

const tasks = templateTasks()
const org = 'an organisation'

/** The tasks of a thread, executed here. With an outcome: a thread that is stopped, or none that is free. */
const templatesWith = (outcome?: TaskOutcome) => {
  const asked: Task[] = []
  const run = async (task: Task): Promise<TaskOutcome> => {
    asked.push(task)
    return outcome ?? { kind: 'done', result: tasks[task.kind]?.(task.payload, () => undefined) }
  }
  return { ...createInputTemplates({ threads: { run } }), asked }
}
const { check, render } = templatesWith()
const rendered = (text: string) => ({ kind: 'rendered', text })
const fault = (message: RegExp) => ({ kind: 'fault', message: expect.stringMatching(message) })

describe('a template is filled with the input', () => {
  test.for([
    ['plain', {}, 'plain'],
    ['', { a: 1 }, ''],
    ['${{ input.text }}', { text: 'Hi' }, 'Hi'],
    ['<${{ input.n + 1 }}> ${{ input.none }}|${{ input.list }}', { n: 1, none: null, list: [1, 'a'] }, '<2> |[1,"a"]'],
    ['${{ input }}', { a: 'x' }, '{"a":"x"}'],
    ['${{ has(input.a) ? input.a : "none" }}', {}, 'none'],
    ['\\${{ input.a }}', { a: 1 }, '${{ input.a }}'],
  ] as const)('%j with %j', async ([template, input, text]) => {
    expect(await check(org, template)).toEqual([])
    expect(await render(org, template, input)).toEqual(rendered(text))
  })

  test('text of the input is not filled again', async () => {
    expect(await render(org, '${{ input.a }}', { a: '${{ input.b }}', b: 'secret' })).toEqual(
      rendered('${{ input.b }}'),
    )
  })

  test('half of a surrogate pair is replaced, because it cannot be stored', async () => {
    expect(await render(org, '${{ input.a }}', { a: 'x\ud800' })).toEqual(rendered('x\ufffd'))
  })
})

test('an input that does not fit is a fault with the place, and without the input', async () => {
  expect(await render(org, 'To ${{ input.name }}', { other: 'secret' })).toEqual(
    fault(/^The placeholder at character 8: .*a field is missing/),
  )
  expect(await render(org, '${{ int(input.n) }}', { n: 'secret' })).toEqual(fault(/^(?!.*secret)/))
})

test('the problems of a template have their positions, and only the first are told', async () => {
  expect(await check(org, 'To ${{ name }} and ${{ input.a + }}')).toEqual([
    expect.stringMatching(/no variable name.* \(at character 8\)$/),
    expect.stringMatching(/cannot be read.* \(at character \d+\)$/),
  ])
  const many = '${{ x }}'.repeat(promptsBounds.templateProblemsTold.count + 5)
  expect(await check(org, many)).toHaveLength(promptsBounds.templateProblemsTold.count)
})

test('the values of all placeholders together have a bound', async () => {
  const half = 'x'.repeat(templateLimits.renderedChars / 2)
  expect(await render(org, '${{ input.a }}${{ input.a }}', { a: half })).toEqual(rendered(half + half))
  expect(await render(org, '${{ input.a }}${{ input.a }}y${{ 1 }}', { a: half })).toEqual(fault(/more than 1048576/))
})

test('an expression that was forgotten is compiled again', async () => {
  for (let n = 0; n <= promptsBounds.templatePrograms.count + 1; n++)
    expect(await render(org, `\${{ input.a + ${n} }}`, { a: 1 })).toEqual(rendered(String(n + 1)))
  expect(await render(org, '${{ input.a + 0 }}', { a: 1 })).toEqual(rendered('1'))
})

test('CPU time is bounded, and grows with the size of template and input', async () => {
  const { asked, ...templates } = templatesWith()
  await templates.check(org, 'x')
  await templates.render(org, 'x', { a: 'y'.repeat(1_048_576) })
  expect(asked.map(({ maxCpuMs }) => maxCpuMs)).toEqual([
    promptsBounds.templateCheckCpu.ms + 1,
    promptsBounds.templateRenderCpu.ms + promptsBounds.templateCpuOfMib.ms + 1,
  ])
})

test('a template that takes too long or too much memory is a fault, and one that no thread is free for is 503', async () => {
  const slow = templatesWith({ kind: 'out_of_time', progress: null })
  expect(await slow.check(org, 'x')).toEqual(['Checking the template takes too much CPU time'])
  const large = templatesWith({ kind: 'out_of_memory', progress: null })
  expect(await large.render(org, 'x', {})).toEqual(fault(/needs too much memory/))
  await expect(templatesWith({ kind: 'busy' }).render(org, 'x', {})).rejects.toMatchObject({ code: 'unavailable' })
})
