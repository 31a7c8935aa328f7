// Decoder of a body whose codings the head states. Owns the decoders. Never keeps more than they hold.
import type { Duplex } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib'
import { limits } from '#shared/limits/limits.ts'

export interface BodyDecoder {
  /** Takes a raw chunk, which may be overwritten after the call. Returns false if the caller must pause until `onDrain`. */
  write(chunk: Buffer): boolean
  /** Called when the body is complete. The end of the decoded body may come later. */
  end(): void
  /** No callback is called any more. */
  destroy(): void
}

export interface DecoderOptions {
  /** Codings of the body with commas. A body with unknown codings is not decoded. */
  encoding: string
  /** Takes a decoded chunk, which may be overwritten after the call. */
  onChunk(chunk: Buffer): void
  /** The decoded body ends, or enough raw bytes came for every body that a check reads. */
  onEnd(): void
  onBroken(): void
  onDrain(): void
}

export function createBodyDecoder(options: DecoderOptions): BodyDecoder {
  const codings = codingsOf(options.encoding)
  if (codings.length > 0) return createDecoders(codings, options)
  return {
    write: chunk => {
      options.onChunk(chunk)
      return true
    },
    end: options.onEnd,
    destroy: () => undefined,
  }
}

function createDecoders(codings: readonly string[], { onChunk, onEnd, onBroken, onDrain }: DecoderOptions): BodyDecoder {
  let decoders: Duplex[] = []
  let rawBytes = 0
  const start = (first: Buffer) => {
    decoders = codings.map((coding, index) => decoderOf(coding, index === 0 ? first : null))
    for (const [index, decoder] of decoders.entries()) {
      decoder.on('error', onBroken)
      const next = decoders[index + 1]
      if (next) decoder.pipe(next)
      else decoder.on('data', onChunk).on('end', onEnd)
    }
    decoders[0]?.on('drain', onDrain)
  }
  return {
    write: chunk => {
      if (decoders.length === 0) start(chunk)
      rawBytes += chunk.length
      // The decoders have received more than twice the bytes of the part that is read.
      if (rawBytes > 2 * limits.check.bodyBytes) onEnd()
      return decoders[0]?.write(Buffer.from(chunk)) ?? true
    },
    end: () => {
      if (decoders.length === 0) onEnd()
      else decoders[0]?.end()
    },
    destroy: () => {
      for (const decoder of decoders) decoder.destroy()
    },
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
