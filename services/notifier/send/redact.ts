// Redaction of a destination's address and secrets in a text that will be stored. The path of the address is secret. A receiver's response
// may quote the path or a secret completely, in part, or encoded once more.
import { basicCredentials, percentDecoded } from '#shared/net/url-credentials.ts'

/** Length of the shortest piece of an address that is redacted, characters. */
const shortestPiece = 4
/** A receiver may quote only a part of a longer piece. So each part with this number of characters is redacted, too. */
const partLength = 8
const mark = '[redacted]'

/**
 * Returns the text after redaction of the address, its host, and longer parts of its path, query and credentials. A secret that is no
 * address is redacted as a whole and in longer parts. Upper and lower case match each other.
 */
export function redactAddress(text: string, address: string): string {
  const { secrets, divisible } = secretsOf(address)
  const lower = lowerCase(text)
  const hidden = new Uint8Array(text.length)
  for (const secret of secrets) {
    for (let at = lower.indexOf(secret); at >= 0; at = lower.indexOf(secret, at + 1)) hidden.fill(1, at, at + secret.length)
  }
  const parts = new Set(divisible.flatMap(partsOf))
  for (let at = 0; at + partLength <= lower.length; at++) {
    if (parts.has(lower.slice(at, at + partLength))) hidden.fill(1, at, at + partLength)
  }
  hidden.fill(1, text.length - brokenOff(lower, secrets))
  let kept = ''
  for (let at = 0; at < text.length; at++) {
    if (hidden[at] === 0) kept += text[at]
    else if (hidden[at - 1] !== 1) kept += mark
  }
  return kept
}

/**
 * The text may have been cut off in the middle of a secret. Returns how many characters at the end of the text are the beginning of a
 * secret.
 */
function brokenOff(text: string, secrets: readonly string[]): number {
  const lengths = secrets.map(secret => {
    for (let length = Math.min(secret.length, text.length); length >= shortestPiece; length--) {
      if (text.endsWith(secret.slice(0, length))) return length
    }
    return 0
  })
  return Math.max(0, ...lengths)
}

function partsOf(secret: string): string[] {
  const parts: string[] = []
  for (let at = 0; at + partLength <= secret.length; at++) parts.push(secret.slice(at, at + partLength))
  return parts
}

/** Returns the secret parts of an address in lower case, in all forms in which a receiver may quote them. The scheme is not secret. */
function secretsOf(address: string): { secrets: string[]; divisible: string[] } {
  if (!URL.canParse(address)) {
    const forms = unique(formsOf(address).filter(form => form !== ''))
    return { secrets: forms, divisible: forms }
  }
  const url = new URL(address)
  const path = url.pathname + url.search
  // The Authorization header contains the credentials, too.
  const credentials = [url.username, url.password, basicCredentials(url) ?? '']
  const pieces = [...url.pathname.split('/'), ...[...url.searchParams].flat(), ...credentials, url.hostname]
  const whole = [address, url.href, url.host, path, url.pathname].filter(part => part.length > 1)
  const forms = [...whole, ...pieces].flatMap(formsOf).filter(form => form.length >= shortestPiece)
  return {
    secrets: unique([...whole, ...forms]),
    divisible: unique([url.host + path, ...credentials].flatMap(formsOf)),
  }
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts.map(lowerCase))]

/** Returns all forms of a part: unchanged, without percent-encoding, encoded once more, and as JSON, HTML and web forms write it. */
function formsOf(part: string): string[] {
  const plain = percentDecoded(part)
  const encoded = [part, plain].map(form => encodeURIComponent(form.toWellFormed()))
  const html = [part, plain].map(form => form.replaceAll('&', '&amp;'))
  return [part, plain, ...encoded, ...html, part.replaceAll('/', '\\/'), plain.replaceAll(' ', '+')]
}

/** Converts only ASCII letters to lower case, so that positions in the text stay the same. */
const lowerCase = (text: string): string => text.replace(/[A-Z]/g, letter => letter.toLowerCase())
