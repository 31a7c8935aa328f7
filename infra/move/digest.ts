// Digests of documents. A digest of many is the sum of their own, so the digest of a collection does not depend on its division into ranges.
// Equal for equal documents in both stores, whatever the order of their members. Pure.
import { hash } from 'node:crypto'

export interface Digest {
  count: number
  /** Sum of the documents' hashes, modulo 2 ** 128. */
  sum: bigint
}

const modulus = 1n << 128n
const hexDigits = 32

export const emptyDigest: Digest = { count: 0, sum: 0n }

/** Returns the document as JSON with the members of all its objects in order. Members without a value are left out, as in both stores. */
export function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${textOf(member)}`).join(',')}}`
}

/** Returns the digest of documents, given as texts of `textOf`. */
export function digestOf(texts: Iterable<string>): Digest {
  let { count, sum } = emptyDigest
  for (const text of texts) {
    count++
    sum += BigInt(`0x${hash('sha256', text).slice(0, hexDigits)}`)
  }
  return { count, sum: sum % modulus }
}

export const addDigests = (one: Digest, other: Digest): Digest => ({
  count: one.count + other.count,
  sum: (one.sum + other.sum) % modulus,
})

export const shownSum = ({ sum }: Digest): string => sum.toString(16).padStart(hexDigits, '0')
