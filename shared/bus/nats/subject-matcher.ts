// Matching of bus subjects by a filter, with the rules of a server: `*` is one token, `>` is one or more tokens at the end.

/** Returns a predicate. `start`: known beginning of all subjects that it will get. */
export function subjectMatcher(filter: string, start = ''): (subject: string) => boolean {
  if (!/[*>]/.test(filter)) return subject => subject === filter
  if (start !== '' && filter === `${start}*`) {
    return subject => subject.length > start.length && !subject.includes('.', start.length)
  }
  const wanted = filter.split('.')
  const open = wanted.at(-1) === '>'
  const fixed = open ? wanted.slice(0, -1) : wanted
  return subject => {
    const tokens = subject.split('.')
    if (open ? tokens.length <= fixed.length : tokens.length !== fixed.length) return false
    return fixed.every((token, i) => token === '*' || token === tokens[i])
  }
}
