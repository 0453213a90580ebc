import { expect, test } from 'vitest'
import { failureModesPage } from './failure-modes/page.ts'
import { failureModes } from './failure-modes/table.ts'

test('the page names every answer, and is made from this table', async () => {
  for (const { answers, sees } of failureModes) {
    const codes = answers.flatMap(
      (answer) => /(\w+_(?:error|timeout)|unavailable|failed|delivered)$/.exec(answer)?.[1] ?? [],
    )
    for (const code of codes) expect(sees).toContain(code)
  }
  await expect(failureModesPage(failureModes)).toMatchFileSnapshot('../../../docs/explanation/failure-modes.md')
})
