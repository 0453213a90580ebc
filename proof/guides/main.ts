import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { faultsOf, maxSkips } from '../lab/page/block.ts'
import { runGuides } from './guides.ts'
import { readPages } from './pages.ts'

const help = `pnpm guides: executes the shell blocks of the README, the tutorials, the guides and the examples.

Copies the repository, starts the service there as the README says, and executes every \`sh\` block in page order
on that one service. Each page is one bash with \`set -eu -o pipefail\`, in the root of the copy and without standard input;
variables carry over from block to block of a page. A block that fails ends its page and the run fails.

  --page <file>   only this page, after the blocks of the README that start the service; may be repeated
  --list          the pages and their blocks, without executing them
  --verbose       show each block before it is executed
  --help          this text

A fence says how a block is executed:

  \`\`\`sh                 must end with status 0 within 120 seconds
  \`\`\`sh background      a program that runs until the end of the page; it has started when it prints its first line
  \`\`\`sh fails           must end with another status than 0; runs in a subshell
  \`\`\`sh skip="reason"   is not executed; at most ${maxSkips} in all pages, none in the README
  \`\`\`sh proof="name"    is executed by another proof, exactly as it is printed
`

const root = join(import.meta.dirname, '../..')

const { values } = parseArgs({
  options: {
    page: { type: 'string', multiple: true },
    list: { type: 'boolean' },
    verbose: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
})

const list = (): void => {
  const pages = readPages(root)
  for (const { file, blocks } of pages) {
    const modes = blocks.map(({ line, mode }) => (mode === 'run' ? `${line}` : `${line} ${mode}`))
    console.log(`${file.padEnd(40)} ${blocks.length} blocks${modes.length > 0 ? `: ${modes.join(', ')}` : ''}`)
  }
  for (const fault of faultsOf(pages)) console.log(fault)
}

const execute = async (): Promise<void> => {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => controller.abort())
  const began = performance.now()
  const only = values.page?.map((page) => relative(root, resolve(process.env.INIT_CWD ?? '', page)))
  const failures = await runGuides({
    root,
    say: (line) => console.log(line),
    signal: controller.signal,
    ...(only && { only }),
    ...(values.verbose && { verbose: true }),
  })
  const seconds = Math.round((performance.now() - began) / 1000)
  console.log(failures.length === 0 ? `\nAll blocks pass, ${seconds} s.` : `\nFAILED, ${seconds} s.`)
  process.exitCode = failures.length === 0 ? 0 : 1
}

if (values.help) console.log(help)
else if (values.list) list()
else await execute()
