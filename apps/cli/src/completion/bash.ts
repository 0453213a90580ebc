import type { Described } from '../describe.ts'
import { type Place, placesOf, quote } from './words.ts'

/** For `source <(ars completion bash)`. Completion starts no process. */
export const bashScript = (root: Described): string => {
  const places = placesOf(root)
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => quote(path))
  return `# Completion of ars for bash. Load it with: source <(ars completion bash)
_ars() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} place='' next index
  for ((index = 1; index < COMP_CWORD; index++)); do
    next="\${place:+$place }\${COMP_WORDS[index]}"
    case "$next" in
      ${paths.join(' | ')}) place=$next ;;
    esac
  done
  COMPREPLY=()
  case "$place $previous" in
${places.flatMap(valueCases).join('\n')}
  esac
  case "$place" in
${places.map(wordCase).join('\n')}
  esac
}
complete -F _ars ars
`
}

const valueCases = ({ path, options }: Place): string[] =>
  options
    .filter(({ takesValue }) => takesValue)
    .map(({ long, choices, isFile }) => {
      const reply = isFile ? 'compgen -f' : `compgen -W ${quote(choices.join(' '))}`
      const act = isFile || choices.length > 0 ? `mapfile -t COMPREPLY < <(${reply} -- "$current"); ` : ''
      return `    ${quote(`${path} ${long}`)}) ${act}return ;;`
    })

const wordCase = ({ path, words, options }: Place): string => {
  const all = [...words.map(({ word }) => word), ...options.map(({ long }) => long), '--help'].join(' ')
  return `    ${quote(path)}) mapfile -t COMPREPLY < <(compgen -W ${quote(all)} -- "$current") ;;`
}
