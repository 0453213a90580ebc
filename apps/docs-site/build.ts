import { cpSync, globSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { build } from 'astro'
import { findBrokenLinks } from './src/link-check.ts'
import { redirectFiles } from './src/moved-pages.ts'
import { readSitePages, repositoryDir } from './src/site-pages.ts'
import { followRenamedStyles, type SiteFiles, separateScriptsAndStyles } from './src/strict-html.ts'
import { markdownTwins } from './src/twins.ts'

// node build.ts: writes the documentation site to `dist/`. A broken link fails the build and leaves the earlier files.

const folder = import.meta.dirname
const fresh = join(folder, 'dist.new')
const built = join(folder, 'dist')

/** Interfaces for search that Pagefind writes and Starlight does not use. */
const unused = 'pagefind/pagefind-{ui,modular-ui,component-ui,highlight}.*'

const buildSite = async (): Promise<void> => {
  rmSync(fresh, { recursive: true, force: true })
  await build({ root: folder, outDir: fresh, logLevel: 'warn' })
  for (const name of globSync(unused, { cwd: fresh })) rmSync(join(fresh, name))
  cpSync(join(repositoryDir, 'docs/screens'), join(fresh, 'screens'), {
    recursive: true,
    filter: (path) => !path.endsWith('.md'),
  })
  write(separateScriptsAndStyles(read('**/*.html')))
  write(followRenamedStyles(read('_astro/*.css')))
  write(markdownTwins(readSitePages()))
  write(redirectFiles())
  write(new Map([['THIRD-PARTY-LICENSES.txt', licences()]]))

  const names = new Set(namesIn('**/*.*'))
  const broken = findBrokenLinks(names, new Map([...read('**/*.html'), ...read('**/*.md'), ...read('llms.txt')]))
  if (broken.length > 0) throw new Error(`${broken.length} broken links:\n${broken.join('\n')}`)

  for (const name of namesIn('**/*.{html,js,css,svg,md,txt}')) compress(join(fresh, name))
  rmSync(built, { recursive: true, force: true })
  renameSync(fresh, built)
  console.log(`${names.size} files in ${built}`)
}

/** Of the packages whose code and styles are in the site. pnpm puts the dependencies of Starlight beside it. */
const licences = (): string => {
  const beside = join(realpathSync(join(folder, 'node_modules/@astrojs/starlight')), '../..')
  const files = ['@astrojs/starlight/LICENSE', 'pagefind/LICENSE/LICENSE', 'astro-expressive-code/LICENSE']
  const notices = files.map((file) => {
    const [name = ''] = file.split('/LICENSE')
    const { version } = JSON.parse(readFileSync(join(beside, name, 'package.json'), 'utf8'))
    return `${name} ${version}\n\n${readFileSync(join(beside, file), 'utf8').trim()}\n`
  })
  return notices.join(`\n${'-'.repeat(80)}\n\n`)
}

const namesIn = (pattern: string): string[] => globSync(pattern, { cwd: fresh }).sort()

const read = (pattern: string): SiteFiles =>
  new Map(namesIn(pattern).map((name) => [name, readFileSync(join(fresh, name), 'utf8')]))

const write = (files: SiteFiles): void => {
  for (const [name, text] of files) {
    mkdirSync(dirname(join(fresh, name)), { recursive: true })
    writeFileSync(join(fresh, name), text)
  }
}

/** Once, here, so that a gateway only hands bytes out. Every browser takes this form; programs get the file as it is. */
const compress = (path: string): void => {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
  writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path), { params }))
}

await buildSite()
