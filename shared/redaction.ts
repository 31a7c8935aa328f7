// Redaction of secrets: names that mark credentials, addresses, and addresses within texts (spec E 11). Pure.
import { percentDecoded } from '#shared/url-credentials.ts'

/** A whole part of a name that marks a credential. */
const credentialParts = new Set([
  ...['token', 'tokens', 'secret', 'secrets', 'password', 'passwd', 'pwd', 'pw', 'pass', 'passphrase', 'key', 'keys', 'apikey'],
  ...['auth', 'authorization', 'bearer', 'credential', 'credentials', 'cookie', 'session', 'sid', 'signature', 'sig', 'jwt'],
  ...['otp', 'oauth'],
])
const credentialEndings = ['token', 'secret', 'password', 'passwd', 'apikey', 'accesskey', 'sessionid']

const hiddenValue = 'redacted'

/** Whether a name says that its value is a credential: `api_token`, `clientsecret` and `Authorization` do, `monkey` does not. */
export const isCredentialName = (name: string): boolean =>
  partsOf(name).some(part => credentialParts.has(part) || credentialEndings.some(ending => part.endsWith(ending)))

/** A URL without user information, and with `redacted` for the value of each credential-named query parameter. Not a URL: empty. */
export function redactedUrl(url: string): string {
  return URL.canParse(url) ? withHiddenQuery(withoutUserInformation(url)) : ''
}

/** A text with each URL in it redacted. A URL that cannot be read keeps its scheme alone. */
export const redactedText = (text: string): string =>
  text.includes('://') ? text.replace(urlInText, found => redactedUrl(found) || unreadable(found)) : text

/** Up to a blank, a quotation mark or an angle bracket. Longer schemes are not in use. */
const urlInText = /[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'`<>]+/gi

const unreadable = (url: string): string => `${url.slice(0, url.indexOf('://'))}://${hiddenValue}`

/** In lower case, split at changes of case (`XMLToken` is `xml`, `token`) and at everything that is no letter. */
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

/** All but the hidden values stays as it was written. */
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
