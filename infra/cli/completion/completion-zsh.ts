// Completion script for zsh. It is sourced, or stored as `_watchkeeper` in a folder of `fpath`.
import type { Candidates, CompletionTree } from './completion-tree.ts'

export function zshCompletion({ commands, valued, places }: CompletionTree): string {
  const cases = [...places].map(([place, candidates]) => `    ${quoted(place)}) ${action(candidates)} ;;`)
  return `#compdef watchkeeper
# Completion of ./watchkeeper for zsh, as \`./watchkeeper completion zsh\` printed it.
_watchkeeper() {
  local word=\${words[CURRENT]} named='' option='' part place
  local -i count=0 i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    part=\${words[i]}
    if [[ -n $option ]]; then
      option=''
      continue
    fi
    case "$named $part" in
    ${patterns(commands)}) named="$named $part" ;;
    ${patterns(valued)}) option=$part ;;
    *' -'*) ;;
    *) count=$((count + 1)) ;;
    esac
  done
  place="$named #$count"
  if [[ $word == -* ]]; then place="$named -"; fi
  if [[ -n $option ]]; then place="$named $option"; fi
  case "$place" in
${cases.join('\n')}
  esac
  if ((\${#found})); then _describe -t words watchkeeper found; fi
}
if [[ \${funcstack[1]} == _watchkeeper ]]; then _watchkeeper "$@"; else compdef _watchkeeper watchkeeper; fi`
}

const action = ({ words, isPath }: Candidates): string =>
  isPath ? '_files; return' : `found=(${words.map(described).join(' ')})`

/** Returns a candidate in the format of zsh: a colon separates the word from its meaning. */
const described = ({ word, meaning }: Candidates['words'][number]): string =>
  quoted(meaning === '' ? word : `${word}:${meaning.replaceAll(':', '\\:')}`)

const patterns = (texts: readonly string[]): string => texts.map(quoted).join(' | ')

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
