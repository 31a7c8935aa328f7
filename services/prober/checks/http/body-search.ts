// Search for a literal text in the first 1 MiB of a decoded body: for its bytes in UTF-8, and for its characters in the page's own charset.
// The text may begin in one chunk and end in the next. Owns the decoders. Never keeps more than one chunk, plus as many characters as the
// searched text has, plus the beginning of the page until its charset is known.
import type { Duplex } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib'
import { limits } from '#shared/limits/limits.ts'
import { declarationBytes, type PageDecoder, pageDecoder } from './charset.ts'

/** `absent`: the text is not in the searched part. `broken`: the body could not be decoded. */
export type Finding = 'found' | 'absent' | 'broken'

export interface BodySearch {
  /** Adds a raw chunk, which may be overwritten after the call. Returns false if the caller must pause until `onDrain`. */
  write(chunk: Buffer): boolean
  /** Called when the body is complete. The finding may come later. */
  end(): void
  /** Ends the search. No callback is called any more. */
  destroy(): void
}

export interface SearchOptions {
  text: string
  /** Codings of the body with commas. A body with unknown codings is searched without decoding. */
  encoding: string
  /** The Content-Type header, or empty. */
  contentType: string
  onFinding(finding: Finding): void
  onDrain(): void
}

export function createBodySearch(options: SearchOptions): BodySearch {
  const search = createTextSearch(options)
  let over = false
  const settle = (finding: Finding) => {
    if (over) return
    over = true
    options.onFinding(finding)
  }
  const see = (chunk: Buffer) => {
    const finding = over ? null : search.add(chunk)
    if (finding !== null) settle(finding)
  }
  const end = () => {
    if (!over) settle(search.end())
  }
  const codings = codingsOf(options.encoding)
  if (codings.length === 0) {
    return {
      write: chunk => {
        see(chunk)
        return true
      },
      end,
      destroy: () => {
        over = true
      },
    }
  }
  return decodedSearch(codings, options, see, end, settle, () => {
    over = true
  })
}

function decodedSearch(
  codings: readonly string[],
  options: SearchOptions,
  see: (chunk: Buffer) => void,
  finish: () => void,
  settle: (finding: Finding) => void,
  forget: () => void,
): BodySearch {
  let decoders: Duplex[] = []
  let rawBytes = 0
  const destroy = () => {
    forget()
    for (const decoder of decoders) decoder.destroy()
  }
  const start = (first: Buffer) => {
    decoders = codings.map((coding, index) => decoderOf(coding, index === 0 ? first : null))
    for (const [index, decoder] of decoders.entries()) {
      decoder.on('error', () => settle('broken'))
      const next = decoders[index + 1]
      if (next) decoder.pipe(next)
      else decoder.on('data', see).on('end', finish)
    }
    decoders[0]?.on('drain', options.onDrain)
  }
  return {
    write: chunk => {
      if (decoders.length === 0) start(chunk)
      rawBytes += chunk.length
      // The decoders have received more than twice the bytes of the searched part, so the search ends.
      if (rawBytes > 2 * limits.check.bodyBytes) finish()
      return decoders[0]?.write(Buffer.from(chunk)) ?? true
    },
    end: () => {
      if (decoders.length === 0) finish()
      else decoders[0]?.end()
    },
    destroy,
  }
}

interface TextSearch {
  /** Takes the next chunk; null: further chunks are needed. */
  add(chunk: Buffer): Finding | null
  /** No chunk follows. */
  end(): Finding
}

function createTextSearch({ text, contentType }: SearchOptions): TextSearch {
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
      if (joined.includes(needle) || hasCharacters(part, isLast)) return 'found'
      if (isLast) return 'absent'
      const keep = Math.min(needle.length - 1, joined.length)
      tail = Buffer.from(joined.subarray(joined.length - keep))
      return null
    },
    end: () => (hasCharacters(Buffer.alloc(0), true) ? 'found' : 'absent'),
  }
}

/**
 * Returns the codings in the order of decoding. Returns an empty list if a coding is unknown, or if there are more than two codings (no
 * real page has so many).
 */
function codingsOf(encoding: string): string[] {
  const codings = encoding
    .toLowerCase()
    .split(',')
    .map(each => each.trim())
    .filter(each => each !== '' && each !== 'identity')
  const known = codings.every(each => ['gzip', 'x-gzip', 'deflate', 'br', 'zstd'].includes(each))
  return known && codings.length <= 2 ? codings.reverse() : []
}

/**
 * Returns the decoder of a coding. Some servers send `deflate` without the zlib header that the standard requires, so the first byte of the
 * body decides. `first` null: the bytes come from another decoder, so the first byte is unknown, and the zlib header is expected.
 */
function decoderOf(coding: string, first: Buffer | null): Duplex {
  if (coding === 'br') return createBrotliDecompress()
  if (coding === 'zstd') return createZstdDecompress()
  if (coding !== 'deflate') return createGunzip()
  return ((first?.[0] ?? 8) & 0x0f) === 8 ? createInflate() : createInflateRaw()
}
