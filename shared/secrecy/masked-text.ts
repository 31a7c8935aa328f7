// Text of strangers in which the secrets of a check are hidden, because a server may repeat what it was sent. Pure.
import { cut } from '#shared/text/plain-text.ts'
import { hidden } from './redacted-value.ts'

/** Parts of a secret that are hidden beside its lines, if they have as many characters: a token behind `Bearer`, a member of a JSON body. */
const partCharacters = 8
/** Base64 of a shorter text stands in any other text. */
const base64Characters = 4
const separators = /[\s"'`&=;:,{}()[\]<>]+/

export interface Mask {
  /** Hides the secrets in a text, as they are and as a request holds them, and cuts it to a number of code points. */
  short(text: string, characters: number): string
  /** Hides them in a whole text. `isCut`: the text goes on, so its end may be the beginning of a secret, which is left out. */
  whole(text: string, isCut: boolean): string
}

export function maskOf(secrets: readonly string[]): Mask {
  const forms = formsOf(secrets)
  const byFirst = Map.groupBy(forms, form => form[0])
  for (const same of byFirst.values()) same.sort((a, b) => b.length - a.length)
  const masked = (text: string, most: number) => {
    let shown = ''
    for (let at = 0; at < text.length && shown.length <= most; ) {
      const found = byFirst.get(text[at])?.find(form => text.startsWith(form, at))
      shown += found === undefined ? text[at] : hidden
      at += found?.length ?? 1
    }
    return shown
  }
  const longest = Math.max(0, ...forms.map(({ length }) => length))
  const endOf = (text: string) => {
    for (let at = Math.max(0, text.length - longest + 1); at < text.length; at++) {
      if (byFirst.get(text[at])?.some(form => form.startsWith(text.slice(at)))) return at
    }
    return text.length
  }
  return {
    short: (text, characters) => cut(masked(text, 2 * characters), characters),
    whole: (text, isCut) => masked(isCut ? text.slice(0, endOf(text)) : text, Number.POSITIVE_INFINITY),
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

/** The text, and its forms in JSON, in a URL, in a form, in a host name and in Base64. */
function encoded(text: string): string[] {
  const inUrl = encodeURIComponent(text.toWellFormed())
  const base64 = text.length < base64Characters ? [] : [Buffer.from(text).toString('base64').replace(/=+$/, ''), base64Url(text)]
  return [text, JSON.stringify(text).slice(1, -1), inUrl, inUrl.replaceAll('%20', '+'), text.toLowerCase(), ...base64]
}

const base64Url = (text: string): string => Buffer.from(text).toString('base64url')
