// FNV-1a 32, the hash that the bus server's own `{{partition(n,w)}}` uses, so that both sides agree on a subject's partition.
import { limits } from '#shared/limits.ts'

/** FNV-1a 32 bit of the UTF-8 bytes of `text`; an unsigned integer. */
export function fnv1a32(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text, 'utf8')) {
    hash ^= byte
    hash = Math.imul(hash, 0x01000193)
  }
  return hash >>> 0
}

/** The partition (0 to 63) that owns a subject. Part of the data format. */
export function partitionOf(subjectId: string): number {
  return fnv1a32(subjectId) % limits.partitions
}
