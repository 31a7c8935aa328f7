// Buckets as stored text: varints in base64url, because roll-ups share the budget of 60 bytes per check. Part of the data format.
//
// A bucket is a sequence of varints: (slots skipped << 4 | flags), count, failed, measured; the flags say whether the last two are written.
// A bucket with values has also minimum, maximum, sum, a level if it is not 0, and its bins in order. Each bin is one varint, (distance to
// the previous bin << 2 | count - 1); if both low bits are set, another varint follows with the count minus 4. The first bin and the number
// of bins are not written. The minimum gives the first bin, and the bins end when their counts add up to `measured`.
import { type Bucket, binOf, emptyBucket } from '#shared/roll-up/bucket.ts'

const allOk = 1
const okMeasured = 2
const integers = 4
const fine = 8
const flagBits = 16

/** Packs the buckets of consecutive slots; null: the slot has no report. */
export function packBuckets(buckets: readonly (Bucket | null)[]): string {
  const bytes: number[] = []
  let next = 0
  for (const [slot, bucket] of buckets.entries()) {
    if (bucket === null) continue
    packBucket(bytes, slot - next, bucket)
    next = slot + 1
  }
  return Buffer.from(bytes).toString('base64url')
}

/** Returns `slots` buckets. Throws if the text cannot come from `packBuckets`. */
export function unpackBuckets(text: string, slots: number): (Bucket | null)[] {
  const reader: Reader = { bytes: Buffer.from(text, 'base64url'), at: 0 }
  const buckets: (Bucket | null)[] = Array(slots).fill(null)
  for (let next = 0; reader.at < reader.bytes.length; next++) {
    const head = readVarint(reader)
    next += Math.floor(head / flagBits)
    if (next >= slots) throw broken()
    buckets[next] = unpackBucket(reader, head % flagBits)
  }
  return buckets
}

function packBucket(bytes: number[], skipped: number, bucket: Bucket): void {
  const { count, ok, measured, min, max, sum, level } = bucket
  const rest = sum - measured * min
  const whole = [min, zigzag(min), max, sum, max - min, measured * min, rest]
  const isInteger = whole.every(Number.isSafeInteger) && rest >= 0
  const flags =
    (ok === count ? allOk : 0) + (measured === ok ? okMeasured : 0) + (isInteger ? integers : 0) + (level === 0 ? fine : 0)
  writeVarint(bytes, skipped * flagBits + flags)
  writeVarint(bytes, count)
  if (ok !== count) writeVarint(bytes, count - ok)
  if (measured !== ok) writeVarint(bytes, measured)
  if (measured === 0) return
  if (isInteger) for (const value of [zigzag(min), max - min, rest]) writeVarint(bytes, value)
  else for (const value of [min, max, sum]) writeDouble(bytes, value)
  if (level > 0) writeVarint(bytes, level)
  packBins(bytes, bucket)
}

function packBins(bytes: number[], { bins, min, level }: Bucket): void {
  let before = binOf(min, level)
  for (const key of [...bins.keys()].sort((a, b) => a - b)) {
    const count = bins.get(key) as number
    writeVarint(bytes, (key - before) * 4 + Math.min(count, 4) - 1)
    if (count >= 4) writeVarint(bytes, count - 4)
    before = key
  }
}

function unpackBucket(reader: Reader, flags: number): Bucket {
  const bucket = emptyBucket()
  bucket.count = readVarint(reader)
  bucket.ok = flags & allOk ? bucket.count : bucket.count - readVarint(reader)
  bucket.measured = flags & okMeasured ? bucket.ok : readVarint(reader)
  if (bucket.ok < 0 || bucket.measured > bucket.count) throw broken()
  if (bucket.measured === 0) return bucket
  if (flags & integers) {
    bucket.min = unzigzag(readVarint(reader))
    bucket.max = bucket.min + readVarint(reader)
    bucket.sum = bucket.measured * bucket.min + readVarint(reader)
  } else {
    bucket.min = readDouble(reader)
    bucket.max = readDouble(reader)
    bucket.sum = readDouble(reader)
  }
  bucket.level = flags & fine ? 0 : readVarint(reader)
  unpackBins(reader, bucket)
  return bucket
}

function unpackBins(reader: Reader, { bins, min, level, measured }: Bucket): void {
  let key = binOf(min, level)
  for (let counted = 0; counted < measured; ) {
    const word = readVarint(reader)
    key += Math.floor(word / 4)
    const count = word % 4 === 3 ? readVarint(reader) + 4 : (word % 4) + 1
    counted += count
    if (counted > measured) throw broken()
    bins.set(key, count)
  }
}

interface Reader {
  bytes: Buffer
  at: number
}

const broken = () => new Error('A stored roll-up can not be read: its text is damaged or of a later version.')
const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value)
const unzigzag = (value: number): number => (value % 2 === 1 ? -(value + 1) / 2 : value / 2)

/** Writes a safe integer of at least 0. Uses no bit operations, which would cut the value to 32 bits. */
function writeVarint(bytes: number[], value: number): void {
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  bytes.push(rest)
}

function readVarint(reader: Reader): number {
  let value = 0
  for (let scale = 1; ; scale *= 128) {
    const byte = reader.bytes[reader.at++]
    if (byte === undefined || scale > 2 ** 56) throw broken()
    value += (byte % 128) * scale
    if (byte < 128) return value
  }
}

function writeDouble(bytes: number[], value: number): void {
  const buffer = Buffer.alloc(8)
  buffer.writeDoubleLE(value)
  bytes.push(...buffer)
}

function readDouble(reader: Reader): number {
  if (reader.at + 8 > reader.bytes.length) throw broken()
  const value = reader.bytes.readDoubleLE(reader.at)
  reader.at += 8
  return value
}
