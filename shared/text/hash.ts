// FNV-1a 32, the hash of the bus server's own `{{partition(n,w)}}`, so that services and bus agree on the partition of a subject.
import { limits } from '#shared/limits/limits.ts'

const basis = 0x811c9dc5
const prime = 0x01000193
/** Highest code of a character that is one byte in UTF-8. All characters of ids are one byte. */
const lastOfOneByte = 0x7f

/** Returns the FNV-1a 32-bit hash of the UTF-8 bytes of `text`, an unsigned integer. */
export function fnv1a32(text: string): number {
  let hash = basis
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > lastOfOneByte) return ofBytes(Buffer.from(text, 'utf8'))
    hash = Math.imul(hash ^ code, prime)
  }
  return hash >>> 0
}

function ofBytes(bytes: Uint8Array): number {
  let hash = basis
  for (const byte of bytes) hash = Math.imul(hash ^ byte, prime)
  return hash >>> 0
}

/** Returns the partition (0 to 63) of a subject. Part of the data format. */
export function partitionOf(subjectId: string): number {
  return fnv1a32(subjectId) % limits.partitions
}

/**
 * Returns the number (0 to 4095) of the page of a subject's check entries at each location. Its remainder by 64 is the partition of the
 * subject. Part of the data format.
 */
export const pageNumberOf = (subjectId: string): number => fnv1a32(subjectId) % limits.checkPages.perLocation
