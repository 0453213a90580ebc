import type { Described, DescribedOption } from '../describe.ts'
import { type Place, placesOf, quote, shortSummary } from './words.ts'

/** For `source <(ars completion zsh)`, or as a file `_ars` in a folder of `fpath`. */
export const zshScript = (root: Described): string => {
  const places = placesOf(root)
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => quote(path))
  return `#compdef ars
# Completion of ars for zsh. Load it with: source <(ars completion zsh)
_ars() {
  local place='' next previous=$words[CURRENT-1]
  local -a offers
  integer index
  for ((index = 2; index < CURRENT; index++)); do
    next="\${place:+$place }$words[index]"
    case "$next" in
      ${paths.join(' | ')}) place=$next ;;
    esac
  done
  case "$place $previous" in
${places.flatMap(valueCases).join('\n')}
  esac
  case "$place" in
${places.map(wordCase).join('\n')}
  esac
  _describe 'ars' offers
}
if [[ $funcstack[1] == _ars ]]; then _ars "$@"; elif (( $+functions[compdef] )); then compdef _ars ars; fi
`
}

const valueCases = ({ path, options }: Place): string[] =>
  options
    .filter(({ takesValue }) => takesValue)
    .map(({ long, choices, isFile }) => `    ${quote(`${path} ${long}`)}) ${valueAct(choices, isFile)}return ;;`)

const valueAct = (choices: readonly string[], isFile: boolean): string => {
  if (isFile) return '_files; '
  return choices.length > 0 ? `compadd -- ${choices.map(quote).join(' ')}; ` : ''
}

const wordCase = ({ path, words, options }: Place): string => {
  const offers = [
    ...words.map(({ word, summary }) => offer(word, summary)),
    ...options.map(({ long, description }: DescribedOption) => offer(long, description)),
    offer('--help', 'show help'),
  ]
  return `    ${quote(path)}) offers=(${offers.join(' ')}) ;;`
}

const offer = (word: string, summary: string): string => {
  const words = shortSummary(summary)
  return quote(words === '' ? word : `${word}:${words}`)
}
