// Search for a literal text in the first 1 MiB of a decoded body: for its bytes in UTF-8, and for its characters in the page's own charset.
// The text may begin in one chunk and end in the next. Never keeps more than as many characters as the searched text has, and the beginning of
// the page until its charset is known.
import { limits } from '#shared/limits/limits.ts'
import { declarationBytes, type PageDecoder, pageDecoder } from './charset.ts'

export interface TextSearch {
  /** Takes the next chunk, which may be overwritten after the call. Returns whether the text is there; null: further chunks are needed. */
  add(chunk: Buffer): boolean | null
  /** No chunk follows. Returns whether the text is there. */
  end(): boolean
}

/** `contentType`: the Content-Type header, or empty. */
export function createTextSearch(text: string, contentType: string): TextSearch {
  const needle = Buffer.from(text)
  let seen = 0
  let tail: Buffer = Buffer.alloc(0)
  /** Beginning of the page; null: the charset is known. */
  let beginning: Buffer[] | null = []
  let decoder: PageDecoder | null = null
  let decodedTail = ''

  const hasCharacters = (chunk: Buffer, isLast: boolean): boolean => {
    let decodable = chunk
    if (beginning !== null) {
      // The chunk is copied, because the connection overwrites its memory.
      beginning.push(Buffer.from(chunk))
      if (!isLast && seen < declarationBytes) return false
      decodable = Buffer.concat(beginning)
      beginning = null
      decoder = pageDecoder(decodable, contentType)
    }
    if (decoder === null) return false
    const decoded = decodedTail + decoder.decode(decodable, { stream: !isLast })
    decodedTail = decoded.slice(Math.max(0, decoded.length - text.length + 1))
    return decoded.includes(text)
  }

  return {
    add: chunk => {
      const rest = limits.check.bodyBytes - seen
      const part = chunk.length > rest ? chunk.subarray(0, rest) : chunk
      seen += part.length
      const isLast = seen >= limits.check.bodyBytes
      const joined = tail.length === 0 ? part : Buffer.concat([tail, part])
      if (joined.includes(needle) || hasCharacters(part, isLast)) return true
      if (isLast) return false
      const keep = Math.min(needle.length - 1, joined.length)
      tail = Buffer.from(joined.subarray(joined.length - keep))
      return null
    },
    end: () => hasCharacters(Buffer.alloc(0), true),
  }
}
