import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeHome } from './ars.slow.ts'
import { openTerminal } from './tmux.slow.ts'

// In the real shells, with the keys of a person. CI installs all three.

const home = makeHome()
afterAll(() => home.remove())

const shells = [
  { name: 'bash', shell: ['bash', '--norc', '--noprofile'], load: 'source <(ars completion bash)' },
  {
    name: 'zsh',
    shell: ['zsh', '-f', '-i'],
    load: 'autoload -U compinit && compinit -D && source <(ars completion zsh)',
  },
  { name: 'fish', shell: ['fish', '--no-config'], load: 'ars completion fish | source' },
] as const

test.each(shells)('$name completes commands, values, options and files', async ({ shell, load }) => {
  writeFileSync(join(home.folder, 'authority.pem'), '')
  const terminal = await openTerminal({ home, shell: [...shell] })
  try {
    await terminal.enter(`cd; ${load}; echo loa''ded`)
    await terminal.shows(/^loaded$/m)
    for (const [typed, completed] of [
      ['ars web', 'ars webhooks '],
      ['ars webhooks redel', 'ars webhooks redeliver '],
      ['ars runs act run_1 appr', 'ars runs act run_1 approve '],
      ['ars webhooks deliveries wh_1 --status pend', 'ars webhooks deliveries wh_1 --status pending '],
      ['ars runs create test-echo --idem', 'ars runs create test-echo --idempotency-key '],
      ['ars agents list --ca-file auth', 'ars agents list --ca-file authority.pem '],
      ['ars init pyt', 'ars init python '],
    ] as const) {
      await terminal.type(typed)
      await terminal.press('Tab')
      // The word after the completion shows that it ended with a space.
      await terminal.type('end')
      await terminal.shows(new RegExp(`${completed}end`))
      await terminal.press('C-u')
    }
    await terminal.type('ars webhooks re')
    await terminal.press('Tab', 'Tab')
    const offered = await terminal.shows(/recoveries/)
    for (const word of ['redeliver', 'recover', 'recoveries']) expect(offered).toContain(word)
  } finally {
    await terminal.close()
  }
})
