import { expect, test } from 'vitest'
import { render } from 'vitest-browser-react'
import { JsonView } from './json-view.tsx'
import { Markdown } from './markdown.tsx'

const hostile = [
  '<img src=x onerror="document.title=\'owned\'">',
  '<script>document.title="owned"</script>',
  '<svg onload=alert(1)><a xlink:href="javascript:alert(1)">x</a></svg>',
  '[click](javascript:alert(1))',
  '[click](JaVaScRiPt:alert(1))',
  '[click](data:text/html;base64,PHNjcmlwdD4=)',
  '![pixel](https://evil.example/pixel.png)',
  '![x](javascript:alert(1))',
  '<javascript:alert(1)>',
  '<iframe src="https://evil.example"></iframe>',
  '<style>*{display:none}</style>',
  '[a]: javascript:alert(1)\n\n[a]',
  '`<b>` **<b>bold</b>** | <i>cell</i> |',
]

/** Elements that untrusted text must never become, and links that lead elsewhere than to the web. */
const forbidden = 'img, script, svg, iframe, style, object, embed, form, a:not([href^="http"])'

test.each(hostile)('%s stays text in Markdown and in JSON', async (text) => {
  const markdown = await render(<Markdown text={text} />)
  expect(markdown.container.querySelector(forbidden)).toBeNull()
  for (const link of markdown.container.querySelectorAll('a')) expect(link.rel).toBe('noopener noreferrer')
  const json = await render(<JsonView value={{ [text]: [text] }} />)
  expect(json.container.querySelector('img, script, svg:not([aria-hidden]), iframe, style, a')).toBeNull()
  expect(json.container.textContent).toContain(text)
})

test('Markdown becomes headings, lists, tables and code', async () => {
  const text =
    '# Title\n\n1. one\n2. two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```\n\nSee [it](https://example.com).'
  const screen = await render(<Markdown text={text} />)
  await expect.element(screen.getByRole('heading', { name: 'Title' })).toBeVisible()
  expect(screen.container.querySelectorAll('ol li')).toHaveLength(2)
  expect(screen.container.querySelectorAll('td')).toHaveLength(2)
  expect(screen.container.querySelector('pre')?.textContent).toBe('code')
  await expect.element(screen.getByRole('link', { name: 'it' })).toHaveAttribute('href', 'https://example.com/')
})

test('text in the other direction cannot change what stands beside it', async () => {
  const screen = await render(<Markdown text={'\u202Egnp.exe\u202C [\u202Emoc](https://example.com)'} />)
  const [box] = screen.container.children
  expect(box && getComputedStyle(box).unicodeBidi).toBe('isolate')
})

test('five megabytes are shown in part, at once', async () => {
  const text = '**x** '.repeat(850_000)
  const markdown = await render(<Markdown text={text} />)
  const json = await render(<JsonView value={{ text }} />)
  for (const { container } of [markdown, json]) {
    expect(container.textContent?.length).toBeLessThan(100_000)
    expect(container.querySelectorAll('*').length).toBeLessThan(100)
  }
})

test('a value and a text of ten thousand levels are drawn without a crash', async () => {
  let value: unknown = 1
  for (let depth = 0; depth < 10_000; depth++) value = { n: value }
  const json = await render(<JsonView value={value} />)
  expect(json.container.textContent).toContain('Download')
  expect(json.container.textContent?.length).toBeLessThan(100_000)
  for (const text of ['> '.repeat(10_000), '*'.repeat(10_000), `${'['.repeat(10_000)}x${']'.repeat(10_000)}`]) {
    const markdown = await render(<Markdown text={text} />)
    expect(markdown.container.querySelectorAll('*').length).toBeLessThan(5_000)
  }
})
