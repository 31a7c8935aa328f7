// House rules for words (docs/writing.md): no passage begins with a clause as a noun, and no passage contains a banned synonym.
import { passagesOf, unquoted } from './prose.ts'

/**
 * Pairs of a word to use and a pattern of the words to avoid. Words of the API's contract stand in quotes or back-ticks, which are not
 * checked.
 */
export const bannedWords: [say: string, not: RegExp][] = [
  ['notify, send, say', /\b(tell|tells|telling|told)\b/i],
  ['the noun: the caller, the sender, the operator', /\b(whoever|whomever)\b/i],
  ['merge newer readings', /\b(lay|lays|laid|laying) over\b/i],
  ['dead letter', /\bset(s|ting)? aside\b/i],
  ['idempotency record', /\breceipts?\b/i],
  ['provisional', /\bdoubtful\b/i],
  ['successor', /\bheirs?\b/i],
  ['pool, worker thread, inline', /\bcrew\b/i],
  ['retry', /\b(patiently|persistently)\b/i],
  ['best effort', /\btidily\b/i],
  ['handle', /\bobey(s|ed|ing)?\b/i],
  ['require', /(?<!\bon )\bdemand(s|ed|ing)?\b/i],
  ['system, installation', /\bthe house\b(?! rules?)/i],
  ['unchanged, not changed', /\bleft alone\b/i],
  ['accept, read, store', /\btaken in\b/i],
  ['Returns', /^Answers (with|every|those|whoever|from|true|false|null|the|whether|an?)\b/],
]

const nounClause =
  /^(What|Who|Whoever|Whom|Whomever|Whatever|Where|Wherever|Whose|Whichever|How (?!to\b)[a-z]+ (is|are|was|were|has|have)) \b/i

/** Returns passages that begin with a clause used as a noun, such as "What a keeper reads". Questions in documents are allowed. */
export function clausesAsNouns(file: { path: string; text: string }): string[] {
  const isOffence = (text: string) => nounClause.test(text) && !/^[^.]*\?/.test(text)
  return passagesOf(file)
    .filter(({ kind, text }) => kind !== 'document' && isOffence(text))
    .map(({ line, text }) => `${line}: ${text.slice(0, 120)}`)
}

/** Returns passages with a banned synonym. Each passage is followed by the word to use instead. */
export function bannedSynonyms(file: { path: string; text: string }): string[] {
  return passagesOf(file).flatMap(({ line, text }) => {
    const prose = unquoted(text)
    return bannedWords.flatMap(([say, not]) => {
      const found = not.exec(prose)
      return found === null ? [] : [`${line}: "${found[0]}" instead of "${say}"`]
    })
  })
}
