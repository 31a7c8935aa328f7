// Redaction of secrets: names of credentials, URLs, and URLs within texts (v3 11.1 and 11.2). Pure.
import { percentDecoded } from '#shared/net/url-credentials.ts'

/** A name that has one of these words as a whole part is the name of a credential. */
const credentialParts = new Set([
  ...['token', 'tokens', 'secret', 'secrets', 'password', 'passwd', 'pwd', 'pw', 'pass', 'passphrase', 'key', 'keys', 'apikey'],
  ...['auth', 'authorization', 'bearer', 'credential', 'credentials', 'cookie', 'session', 'sid', 'signature', 'sig', 'jwt'],
  ...['otp', 'oauth'],
])
const credentialEndings = ['token', 'secret', 'password', 'passwd', 'apikey', 'accesskey', 'sessionid']

const hiddenValue = 'redacted'

/** Returns true if a name marks a credential: `api_token`, `clientsecret` and `Authorization` do, `monkey` does not. */
export const isCredentialName = (name: string): boolean =>
  partsOf(name).some(part => credentialParts.has(part) || credentialEndings.some(ending => part.endsWith(ending)))

/**
 * Returns a URL without user information, with `redacted` as the value of each query parameter whose name marks a credential. Returns an
 * empty text if `url` is not a URL.
 */
export function redactedUrl(url: string): string {
  return URL.canParse(url) ? withHiddenQuery(withoutUserInformation(url)) : ''
}

/** Returns a text with all its URLs redacted. Of an invalid URL, only the scheme stays. */
export const redactedText = (text: string): string =>
  text.includes('://') ? text.replace(urlInText, found => redactedUrl(found) || unreadable(found)) : text

/** A URL ends at a blank, a quotation mark or an angle bracket. Longer schemes are not in use. */
const urlInText = /[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'`<>]+/gi

const unreadable = (url: string): string => `${url.slice(0, url.indexOf('://'))}://${hiddenValue}`

/**
 * Returns the parts of a name in lower case. A name is split at changes of case (`XMLToken` is `xml`, `token`) and at every character that
 * is not a letter.
 */
const partsOf = (name: string): string[] =>
  name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/\P{L}+/u)
    .map(part => part.toLowerCase())

function withoutUserInformation(url: string): string {
  const parsed = new URL(url)
  if (parsed.username === '' && parsed.password === '') return url
  parsed.username = ''
  parsed.password = ''
  return parsed.href
}

/** Replaces only the values that must be hidden; the rest of the URL stays unchanged. */
function withHiddenQuery(url: string): string {
  const [beforeFragment = ''] = url.split('#', 1)
  const start = beforeFragment.indexOf('?') + 1
  if (start === 0) return url
  const query = beforeFragment.slice(start).split('&').map(withHiddenParameter).join('&')
  return url.slice(0, start) + query + url.slice(beforeFragment.length)
}

function withHiddenParameter(parameter: string): string {
  const nameEnd = parameter.indexOf('=')
  if (nameEnd < 0 || nameEnd === parameter.length - 1) return parameter
  const name = parameter.slice(0, nameEnd)
  return isCredentialName(percentDecoded(name.replaceAll('+', ' '))) ? `${name}=${hiddenValue}` : parameter
}
