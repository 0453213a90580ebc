import { type Look, looks, type Picture } from './pictures.ts'

const titles: Readonly<Record<Look, string>> = {
  light: 'Light',
  dark: 'Dark',
  narrow: '400 px wide',
  empty: 'Without data',
  error: 'With an error',
}

/** The page that shows all pictures, one row for each path. */
export const albumOf = (pictures: readonly Picture[]): string => {
  const paths = [...new Set(pictures.map(({ path }) => path))]
  const rows = paths.map((path) => `| \`${path}\` | ${looks.map((look) => cellOf(pictures, path, look)).join(' | ')} |`)
  return [
    '# Screens of the dashboard',
    '',
    'Every page in each of its states, with invented data. A page that does not find its thing looks like that of a run. `pnpm --filter @ars/dashboard shots` makes the pictures and this page again.',
    '',
    `| path | ${looks.map((look) => titles[look]).join(' | ')} |`,
    `|${'---|'.repeat(looks.length + 1)}`,
    ...rows,
    '',
  ].join('\n')
}

const cellOf = (pictures: readonly Picture[], path: string, look: Look): string => {
  const found = pictures.find((each) => each.path === path && each.look === look)
  return found ? `[![${titles[look]}](${found.file})](${found.file})` : ''
}
