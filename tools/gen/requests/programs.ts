import type { Language, RenderedBlock } from './index.ts'
import { curlSetup } from './render-curl.ts'
import { goSetup } from './render-go.ts'
import { pythonSetup } from './render-python.ts'
import { typescriptSetup } from './render-typescript.ts'

/** The blocks of a page, one after the other, as a program that shows every line before it begins a block. */
export const pageProgram = (blocks: readonly RenderedBlock[], language: Language): string => {
  const parts = blocks.flatMap((block) =>
    'texts' in block ? [{ line: block.line, fails: block.fails, text: block.texts[language] }] : [],
  )
  return assemble[language](parts)
}

type Part = { readonly line: number; readonly fails: boolean; readonly text: string }

/** A block is in the scope of those before it, so that it can give a name again. */
const nested = (parts: readonly Part[], write: (part: Part) => string): string =>
  `${parts.map((part) => `{\n${write(part)}`).join('')}${'}\n'.repeat(parts.length)}`

/** For bash, with a curl that fails if the service refuses. */
const curl = (parts: readonly Part[]): string => {
  const body = parts.map(({ line, fails, text }) => {
    const own = text.replace(curlSetup, '')
    const said = `echo 'line ${line}'\n`
    return fails ? `${said}if ${own.trimEnd()}; then echo 'line ${line} was not refused'; exit 1; fi\n` : said + own
  })
  return `set -eu -o pipefail\ncurl() { command curl --fail-with-body "$@"; }\n${body.join('')}`
}

const typescript = (parts: readonly Part[]): string => {
  const body = nested(parts, ({ line, fails, text }) => {
    const own = text.replace(typescriptSetup, '')
    const said = `console.log('line ${line}')\n`
    if (!fails) return said + own
    const refused = `let isRefused = false\ntry {\n${own}} catch {\n  isRefused = true\n}\n`
    return `${said}${refused}if (!isRefused) throw new Error('line ${line} was not refused')\n`
  })
  return `${typescriptSetup}${body}export {}\n`
}

const python = (parts: readonly Part[]): string => {
  const body = parts.map(({ line, fails, text }) => {
    const own = text.replace(pythonSetup, '')
    const said = `print("line ${line}", flush=True)\n`
    if (!fails) return said + own
    const inner = own.replaceAll(/^(?=.)/gm, '    ')
    return `${said}try:\n${inner}except ApiError:\n    pass\nelse:\n    raise SystemExit("line ${line} was not refused")\n`
  })
  const imports = parts.some(({ fails }) => fails) ? 'from agent_run_service import ApiError\n' : ''
  return `${imports}${pythonSetup}${body.join('')}`
}

const go = (parts: readonly Part[]): string => {
  const body = nested(parts, ({ line, fails, text }) => {
    const own = text.replace(goImport, '').replace(goSetup, '')
    const used = [...own.matchAll(/^(\w+)(?:, err)? :?= /gm)].map(([, name]) => `_ = ${name}\n`)
    const said = `fmt.Println("line ${line}")\n`
    if (!fails) return said + own + [...new Set(used)].join('')
    const inner = own.replaceAll('log.Fatal(err)', 'panic(err)')
    return `${said}func() {\ndefer func() {\nif recover() == nil {\nlog.Fatal("line ${line} was not refused")\n}\n}()\n${inner}}()\n`
  })
  const whole = `func main() {\n${goSetup}_ = client\n${body}}\n`
  const imports = ['context', 'fmt', 'log', 'net/http', 'os', 'time']
    .filter((path) => new RegExp(`\\b${path.split('/').at(-1)}\\.`).test(whole))
    .map((path) => `\t"${path}"\n`)
  return `package main\n\nimport (\n${imports.join('')}\n\tars "${goModule}"\n)\n\n${whole}`
}

const goModule = 'github.com/agent-run-service/agent-run-service/sdks/go'
const goImport = `import ars "${goModule}"\n\n`

const assemble: Readonly<Record<Language, (parts: readonly Part[]) => string>> = { curl, typescript, python, go }
