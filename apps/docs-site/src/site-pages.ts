import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { readApiPages } from './api-pages.ts'
import type { SitePage } from './site-page.ts'

export const repositoryDir = join(import.meta.dirname, '../../..')
export const basePath = '/docs'

export const { version } = JSON.parse(readFileSync(join(repositoryDir, 'package.json'), 'utf8')) as { version: string }

/** Pages that are outside `docs/`, because readers of the repository look for them there. */
const pagesElsewhere: Readonly<Record<string, string>> = {
  'README.md': 'index',
  'AGENTS.md': 'project/map',
  'CHANGELOG.md': 'project/changelog',
  'CODE_OF_CONDUCT.md': 'project/code-of-conduct',
  'CONTRIBUTING.md': 'project/contributing',
  'SECURITY.md': 'project/security',
  'SUPPORT.md': 'project/support',
  'sdks/typescript/README.md': 'reference/sdk-typescript',
  'sdks/python/README.md': 'reference/sdk-python',
  'sdks/go/README.md': 'reference/sdk-go',
  'examples/mcp-server/README.md': 'reference/example-mcp-server',
  'examples/remote-agent/README.md': 'reference/example-remote-agent',
  'examples/receiver/README.md': 'reference/example-receiver',
  'examples/triage/README.md': 'reference/example-triage',
  'examples/extraction/README.md': 'reference/example-extraction',
  'skills/agent-run-service/SKILL.md': 'reference/skill',
}

export const readSitePages = (root = repositoryDir): SitePage[] => {
  const inDocs = globSync('docs/**/*.md', { cwd: root }).map((file): [string, string] => [file, slugOf(file)])
  const written = [...Object.entries(pagesElsewhere), ...inDocs]
    .sort(([, one], [, other]) => (one < other ? -1 : 1))
    .map(([file, slug]) => ({ file, slug, ...parsePage(file, readFileSync(join(root, file), 'utf8')) }))
  return [...written, ...readApiPages(root)]
}

/** `docs/guides/runs.md` → `guides/runs`, `docs/runbooks/README.md` → `runbooks`, `docs/README.md` → `contents`. */
const slugOf = (file: string): string => {
  const path = posix.relative('docs', file).slice(0, -'.md'.length)
  return path === 'README' ? 'contents' : path.replace(/\/README$/, '')
}

const parsePage = (file: string, text: string): Pick<SitePage, 'title' | 'description' | 'body'> => {
  const [, title, body] = /^(?:---\n[\s\S]*?\n---\s*)?(?:<!--[\s\S]*?-->\s*)*# (.+)\n([\s\S]*)$/.exec(text) ?? []
  if (title === undefined || body === undefined) throw new Error(`${file} does not begin with a title ("# …").`)
  return { title: plain(title), description: firstSentence(body), body }
}

const firstSentence = (body: string): string => {
  const paragraph = body.split(/\n{2,}/).find((block) => /^\s*[A-Z`*[]/.test(block) && !/^\s*[-|]/.test(block)) ?? ''
  const [sentence = ''] = /^.*?[.:](?=\s|$)/.exec(plain(paragraph).replaceAll(/\s+/g, ' ').trim()) ?? []
  return sentence.replace(/:$/, '.')
}

const plain = (markdown: string): string =>
  markdown.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '')
