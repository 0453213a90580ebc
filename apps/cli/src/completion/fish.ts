import type { Described, DescribedOption } from '../describe.ts'
import { type Place, placesOf, quote, shortSummary } from './words.ts'

/** For `ars completion fish | source`. */
export const fishScript = (root: Described): string => {
  const places = placesOf(root)
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => quote(path))
  return `# Completion of ars for fish. Load it with: ars completion fish | source
set -g __ars_places ${paths.join(' ')}
function __ars_at
    set -l place ''
    for word in (commandline -opc)[2..-1]
        set -l next (string trim -- "$place $word")
        if contains -- "$next" $__ars_places
            set place $next
        end
    end
    test "$place" = "$argv[1]"
end
complete -c ars -f
${places.flatMap(linesOf).join('\n')}
`
}

const linesOf = ({ path, words, options }: Place): string[] => {
  const at = `complete -c ars -n ${quote(`__ars_at ${JSON.stringify(path)}`)}`
  return [
    ...words.map(({ word, summary }) => `${at} -a ${quote(word)}${describedBy(summary)}`),
    ...options.map(
      (option) => `${at} -l ${option.long.slice(2)}${valueFlags(option)}${describedBy(option.description)}`,
    ),
  ]
}

const valueFlags = ({ takesValue, choices, isFile }: DescribedOption): string => {
  if (isFile) return ' -r -F'
  if (choices.length > 0) return ` -x -a ${quote(choices.join(' '))}`
  return takesValue ? ' -x' : ''
}

const describedBy = (summary: string): string => {
  const words = shortSummary(summary)
  return words === '' ? '' : ` -d ${quote(words)}`
}
