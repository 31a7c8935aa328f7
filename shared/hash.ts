// FNV-1a 32, the hash that the bus server's own `{{partition(n,w)}}` uses, so that both sides agree on a subject's partition.
import { limits } from '#shared/limits.ts'

const basis = 0x811c9dc5
const prime = 0x01000193
/** Of UTF-8: up to here a character is its own byte. Ids are nothing else. */
const lastOfOneByte = 0x7f

/** FNV-1a 32 bit of the UTF-8 bytes of `text`; an unsigned integer. */
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

/** The partition (0 to 63) that owns a subject. Part of the data format. */
export function partitionOf(subjectId: string): number {
  return fnv1a32(subjectId) % limits.partitions
}
