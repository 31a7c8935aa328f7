// What is kept of a server's answer to a failed check. Pure. Reference: docs/reference/v3.md, 5.10.
import type { KeptAnswer } from '#shared/contracts/observations/kept-answer.ts'
import { limits } from '#shared/limits/limits.ts'
import { isCredentialName } from '#shared/secrecy/credential-name.ts'
import type { Mask } from '#shared/secrecy/masked-text.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { hidden } from '#shared/secrecy/redacted-value.ts'
import { firstCharacters } from '#shared/text/plain-text.ts'

const { lineCharacters, headers: headersMost, headerBytes, bodyBytes, bytes: answerBytes } = limits.answers

export interface Came {
  /** Status line and headers, each character a byte; empty: the answer is not HTTP. */
  lines: readonly string[]
  /** The decoded body as far as it came. */
  body: Buffer
  /** Whether this is the whole body. */
  isWhole: boolean
  /** Decoder of its charset; null: UTF-8. */
  decoder: { decode(bytes: Buffer, options: { stream: true }): string } | null
}

/** Returns what is kept of an answer; null: it would make a result too large. `mask` hides the secrets of the check. */
export function keptAnswer({ lines, body, isWhole, decoder }: Came, mask: Mask): KeptAnswer | null {
  const [statusLine, ...headers] = lines.map(readable)
  const beginning = body.subarray(0, bodyBytes)
  const text = textOf(beginning, decoder)
  const isCut = !isWhole || beginning.length < body.length
  const answer = {
    statusLine: statusLine === undefined ? null : mask.short(redactedText(statusLine), lineCharacters),
    headers: headersOf(headers, mask),
    body: text === null ? '' : firstCharacters(mask.whole(text, isCut), bodyBytes),
    binary: text === null,
    truncated: isCut,
  }
  return Buffer.byteLength(JSON.stringify(answer)) > answerBytes ? null : answer
}

const readable = (line: string): string =>
  Buffer.from(line, 'latin1')
    .toString()
    .replace(/\p{Cc}+/gu, ' ')

function headersOf(lines: readonly string[], mask: Mask): string[] {
  const kept: string[] = []
  let left = headerBytes
  for (const line of lines.slice(0, headersMost)) {
    const shown = shownHeader(line, mask)
    left -= Buffer.byteLength(shown)
    if (left < 0) break
    kept.push(shown)
  }
  return kept
}

function shownHeader(line: string, mask: Mask): string {
  const colon = line.indexOf(':')
  const name = line.slice(0, colon)
  if (isCredentialName(name)) return `${mask.short(name, lineCharacters)}: ${hidden}`
  return mask.short(redactedText(line), headerBytes)
}

/** Returns null if the bytes are no text. */
function textOf(bytes: Buffer, decoder: Came['decoder']): string | null {
  if (bytes.includes(0) && decoder === null) return null
  const text = (decoder ?? new TextDecoder()).decode(bytes, { stream: true })
  const odd = text.match(/(?!\s)[\p{Cc}\uFFFD]/gu)?.length ?? 0
  return odd * oddShare > text.length ? null : text
}

/** One character of so many may be odd in a text. */
const oddShare = 20
