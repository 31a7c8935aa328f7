// Text of strangers in which the secrets of a check are hidden, because a server may repeat what it was sent. Pure.
import { cut } from '#shared/text/plain-text.ts'
import { hidden } from './redacted-value.ts'

/** Parts of a secret that are hidden beside its lines, if they have as many characters: a token behind `Bearer`, a member of a JSON body. */
const partCharacters = 8
const separators = /[\s"'`&=;:,{}()[\]<>]+/

/** Returns a function that hides the secrets in a text, as they are and as a request holds them, and cuts it to a number of code points. */
export function maskOf(secrets: readonly string[]): (text: string, characters: number) => string {
  const byFirst = Map.groupBy(formsOf(secrets), form => form[0])
  for (const forms of byFirst.values()) forms.sort((a, b) => b.length - a.length)
  return (text, characters) => {
    let shown = ''
    for (let at = 0; at < text.length && shown.length <= 2 * characters; ) {
      const found = byFirst.get(text[at])?.find(form => text.startsWith(form, at))
      shown += found === undefined ? text[at] : hidden
      at += found?.length ?? 1
    }
    return cut(shown, characters)
  }
}

function formsOf(secrets: readonly string[]): string[] {
  const whole = secrets.map(secret => secret.trim()).filter(secret => secret !== '')
  const lines = whole.flatMap(secret => secret.split(/[\r\n]+/).map(line => line.trim()))
  const parts = lines.flatMap(line => line.split(separators)).filter(part => part.length >= partCharacters)
  // A line of brackets alone says nothing, and would hide the form of every JSON value.
  const telling = [...lines, ...parts].filter(text => /[\p{L}\p{N}]/u.test(text))
  return [...new Set([...whole, ...telling].flatMap(encoded))]
}

/** The text, and its forms in JSON, in a URL, in a form and in a host name. */
function encoded(text: string): string[] {
  const inUrl = encodeURIComponent(text.toWellFormed())
  return [text, JSON.stringify(text).slice(1, -1), inUrl, inUrl.replaceAll('%20', '+'), text.toLowerCase()]
}
