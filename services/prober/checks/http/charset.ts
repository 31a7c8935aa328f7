// Charset of a page: what its bytes, its headers or its own declaration say, in the order of browsers. Pure.

export type PageDecoder = InstanceType<typeof TextDecoder>

/** Number of bytes at the beginning of a page in which browsers look for a declaration. */
export const declarationBytes = 1_024

/**
 * Returns a decoder for the charset of a page, or null: the charset is UTF-8, unknown, or stated nowhere. `beginning`: at least the first
 * `declarationBytes` of the decoded page, or all of it.
 */
export function pageDecoder(beginning: Buffer, contentType: string): PageDecoder | null {
  return decoderOf(byteOrderMark(beginning) ?? stated(contentType) ?? declared(beginning))
}

/** Returns the text of a JSON answer, in the charset that its bytes or its headers say, or else in UTF-8. */
export const jsonText = (bytes: Buffer, contentType: string): string =>
  (decoderOf(byteOrderMark(bytes) ?? stated(contentType)) ?? new TextDecoder()).decode(bytes)

function decoderOf(label: string | null): PageDecoder | null {
  if (label === null) return null
  try {
    const decoder = new TextDecoder(label)
    return decoder.encoding === 'utf-8' ? null : decoder
  } catch {
    return null
  }
}

function byteOrderMark(bytes: Buffer): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 'utf-8' : null
}

const stated = (contentType: string): string | null => /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1] ?? null

/** Returns the charset that HTML states in a `meta` element, or XML in its first line. A page that says UTF-16 in its own letters is UTF-8. */
function declared(bytes: Buffer): string | null {
  const text = bytes.toString('latin1', 0, declarationBytes)
  const found =
    /<meta[^>]*?\bcharset\s*=\s*["']?\s*([\w.:-]+)/i.exec(text) ?? /^\s*<\?xml[^>]*?\bencoding\s*=\s*["']([\w.:-]+)/i.exec(text)
  const label = found?.[1] ?? null
  return label !== null && /^utf-16/i.test(label) ? 'utf-8' : label
}
