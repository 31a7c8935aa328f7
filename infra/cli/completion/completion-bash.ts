// Completion script for bash 3.2 and later.
import type { Candidates, CompletionTree } from './completion-tree.ts'

export function bashCompletion({ commands, valued, places }: CompletionTree): string {
  const cases = [...places].map(([place, candidates]) => `    ${quoted(place)}) ${action(candidates)} ;;`)
  return `# Completion of ./watchkeeper for bash, as \`./watchkeeper completion bash\` printed it.
_watchkeeper() {
  local word=\${COMP_WORDS[COMP_CWORD]} commands='' option='' count=0 found='' i part place
  for ((i = 1; i < COMP_CWORD; i++)); do
    part=\${COMP_WORDS[i]}
    if [[ -n $option ]]; then
      option=''
      continue
    fi
    case "$commands $part" in
    ${patterns(commands)}) commands="$commands $part" ;;
    ${patterns(valued)}) option=$part ;;
    *' -'*) ;;
    *) count=$((count + 1)) ;;
    esac
  done
  place="$commands #$count"
  if [[ $word == -* ]]; then place="$commands -"; fi
  if [[ -n $option ]]; then place="$commands $option"; fi
  case "$place" in
${cases.join('\n')}
  esac
  if [[ $found == @path ]]; then
    local IFS=$'\\n'
    COMPREPLY=($(compgen -f -- "$word"))
    compopt -o filenames 2>/dev/null
  else
    COMPREPLY=($(compgen -W "$found" -- "$word"))
  fi
}
complete -F _watchkeeper watchkeeper`
}

const action = ({ words, isPath }: Candidates): string =>
  `found=${isPath ? '@path' : quoted(words.map(({ word }) => word).join(' '))}`

const patterns = (texts: readonly string[]): string => texts.map(quoted).join(' | ')

/** Quotes a text. Words of commands and options contain no quotes. */
const quoted = (text: string): string => `'${text}'`
