// Bytes that people write as a text with escapes. Pure.

const parts = /\\(?:([rnt\\])|x([\da-fA-F]{2}))|\\|[^\\]+/g
const named: Readonly<Record<string, number>> = { r: 13, n: 10, t: 9, '\\': 92 }
const encoder = new TextEncoder()

/**
 * Returns the bytes of a text in UTF-8, in which `\r`, `\n`, `\t` and `\\` stand for one character and `\x00` to `\xff` for one byte. Null:
 * the text has another escape.
 */
export function unescaped(text: string): Uint8Array | null {
  const bytes: number[] = []
  for (const [part, name, hex] of text.matchAll(parts)) {
    if (part === '\\') return null
    if (name !== undefined) bytes.push(named[name] as number)
    else if (hex !== undefined) bytes.push(Number.parseInt(hex, 16))
    else bytes.push(...encoder.encode(part))
  }
  return Uint8Array.from(bytes)
}
