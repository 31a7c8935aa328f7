// Display form of a URL, and of a text with URLs: without user information, and with `redacted` in place of the values of parameters whose
// names mark a credential (v3 11.2). The display form of a display form is itself. Pure.
import { percentDecoded } from '#shared/net/url-credentials.ts'
import { isCredentialName } from './credential-name.ts'

const hiddenValue = 'redacted'

/** Returns the display form of a URL. Returns an empty text if `url` is not a URL. */
export const redactedUrl = (url: string): string => (URL.canParse(url) ? withHiddenParameters(withoutUserInformation(url)) : '')

/**
 * Returns a text with all its URLs in display form. Of an invalid URL, only the scheme stays. User information after `//` and parameters
 * after `?`, `&`, `;` and `#` are redacted without a scheme, too.
 */
export function redactedText(text: string): string {
  const shown = text.includes('//') ? text.replace(urlInText, shownUrlInText) : text
  return shown.includes('=') ? shown.replace(parameterInText, shownParameter) : shown
}

/**
 * A character of a URL in a text. A quotation mark or an angle bracket ends the URL only if the text around the URL goes on after it, since
 * it may also be a character of a password or of a parameter.
 */
const urlCharacter = /(?:[^\s"'`<>]|["'`<>](?![\s"'`<>,;:.!?)\]}]|$|<?[a-z][a-z0-9+.-]{0,20}:\/\/))/i.source

/** Longer schemes are not in use. */
const urlInText = new RegExp(`(?:[a-z][a-z0-9+.-]{0,20}:)?//${urlCharacter}+`, 'gi')

const parameterInText = new RegExp(`([?&;#])([^\\s=?&;#/"'\`<>]+)=((?:(?![&#])${urlCharacter})+)`, 'gi')

function shownUrlInText(found: string): string {
  if (found.startsWith('//')) return withHiddenParameters(found)
  return redactedUrl(found) || `${found.slice(0, found.indexOf('://'))}://${hiddenValue}`
}

/** A parameter of a path that is hidden already ends at `/`, and the path goes on. */
const shownParameter = (whole: string, mark: string, name: string, value: string): string =>
  isCredential(name) && !/^redacted(?:\/|$)/.test(value) ? `${mark}${name}=${hiddenValue}` : whole

function withoutUserInformation(url: string): string {
  const parsed = new URL(url)
  if (parsed.username === '' && parsed.password === '') return url
  parsed.username = ''
  parsed.password = ''
  return parsed.href
}

/**
 * Replaces only the values that must be hidden; the rest of the URL stays unchanged. A hidden value ends where the next part of the URL
 * begins: in the path at `/`, in query and fragment at `&`. A `;` does not end it, because it may be a character of the value. User
 * information is also dropped from a URL inside of the URL.
 */
function withHiddenParameters(url: string): string {
  const [, path = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(url) ?? []
  const shown = [eachPart(path, '/', inPath), eachPart(query, '&', inQuery), eachPart(fragment, '&', inFragment)].join('')
  return shown.replace(innerUser, '//')
}

const innerUser = /\/\/[^/?#&\s]+@/g

/** Where the name of a parameter may begin in a part of a URL, and the name. */
const inPath = /(;)([^=;]*)=/g
const inQuery = /(^\??|;)([^=;]*)=/g
const inFragment = /(^#?|[;?/!])([^=;?/!]*)=/g

const eachPart = (text: string, separator: string, parameter: RegExp): string =>
  text
    .split(separator)
    .map(part => withHiddenValue(part, parameter))
    .join(separator)

/** Hides everything after the first name of a credential. */
function withHiddenValue(part: string, parameter: RegExp): string {
  if (!part.includes('=')) return part
  for (const { index, 0: found, 2: name = '' } of part.matchAll(parameter)) {
    const end = index + found.length
    if (end < part.length && isCredential(name)) return `${part.slice(0, end)}${hiddenValue}`
  }
  return part
}

const isCredential = (name: string): boolean => isCredentialName(percentDecoded(name.replaceAll('+', ' ')))
