// Summary of the reports of a period: their number, and how many were ok; minimum, mean and maximum of their values, and quantiles from a
// histogram with log-spaced bins. Buckets can be merged; the order of merges does not change counts and bins. Pure.
import { limits } from '#shared/limits/limits.ts'

export interface Bucket {
  /** Number of reports, and number of the reports that were ok. */
  count: number
  ok: number
  /** Number of reports with a value; the fields below concern only these reports. */
  measured: number
  min: number
  max: number
  sum: number
  /** How many times all bins were merged in pairs. Each such merge about doubles the error of a quantile. */
  level: number
  /** Number of values in each bin, by the key of the bin. A bin of larger values has a larger key. */
  bins: Map<number, number>
}

/** Ratio of the upper edge of a bin to its lower edge. Part of the data format. */
const growth = 1.1
const logGrowth = Math.log(growth)
/**
 * Offset of the keys of bins. The offset exceeds the exponent of every double, so that the keys of positive values are positive. Part of
 * the data format.
 */
const keyOffset = 8_192

export const emptyBucket = (): Bucket => ({
  count: 0,
  ok: 0,
  measured: 0,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
  sum: 0,
  level: 0,
  bins: new Map(),
})

/** Adds one report. `value` is finite; null: the report has no value. */
export function addReport(bucket: Bucket, ok: boolean, value: number | null): void {
  bucket.count++
  if (ok) bucket.ok++
  if (value === null) return
  bucket.measured++
  bucket.min = Math.min(bucket.min, value)
  bucket.max = Math.max(bucket.max, value)
  bucket.sum = finite(bucket.sum + value)
  const key = binOf(value, bucket.level)
  bucket.bins.set(key, (bucket.bins.get(key) ?? 0) + 1)
  bound(bucket)
}

/** Adds the content of another bucket, which stays unchanged. */
export function mergeBucket(into: Bucket, from: Bucket): void {
  into.count += from.count
  into.ok += from.ok
  into.measured += from.measured
  into.min = Math.min(into.min, from.min)
  into.max = Math.max(into.max, from.max)
  into.sum = finite(into.sum + from.sum)
  while (into.level < from.level) coarsen(into)
  for (const [fine, count] of from.bins) {
    let key = fine
    for (let level = from.level; level < into.level; level++) key = coarser(key)
    into.bins.set(key, (into.bins.get(key) ?? 0) + count)
  }
  bound(into)
}

/**
 * Returns the quantile of a share (nearest rank); null: there are no values. The result differs from the true quantile by at most
 * `relativeError`, and lies between minimum and maximum.
 */
export function quantile(bucket: Bucket, share: number): number | null {
  if (bucket.measured === 0) return null
  const rank = Math.max(1, Math.ceil(share * bucket.measured))
  let seen = 0
  for (const key of [...bucket.bins.keys()].sort((a, b) => a - b)) {
    seen += bucket.bins.get(key) as number
    if (seen >= rank) return Math.min(bucket.max, Math.max(bucket.min, middleOf(key, bucket.level)))
  }
  return bucket.max
}

/** Returns the largest relative error of a quantile: 4.8 %, unless the values span more than five orders of magnitude. */
export function relativeError({ level }: Bucket): number {
  const ratio = growth ** (2 ** level)
  return (ratio - 1) / (ratio + 1)
}

/** Returns the key of the bin of a value. */
export function binOf(value: number, level: number): number {
  if (value === 0) return 0
  const fine = exponentOf(Math.abs(value))
  return Math.sign(value) * ((level === 0 ? fine : Math.ceil(fine / 2 ** level)) + keyOffset)
}

/** Exponents of small whole numbers, such as latencies in ms, once they were computed; each is stored with `keyOffset`. 0: not yet. */
const exponents = new Uint16Array(32_768)

function exponentOf(value: number): number {
  const isSmall = value < exponents.length && Number.isInteger(value)
  const known = isSmall ? (exponents[value] as number) : 0
  if (known !== 0) return known - keyOffset
  const exponent = Math.ceil(Math.log(value) / logGrowth)
  if (isSmall) exponents[value] = exponent + keyOffset
  return exponent
}

function middleOf(key: number, level: number): number {
  if (key === 0) return 0
  const ratio = growth ** (2 ** level)
  return (Math.sign(key) * 2 * ratio ** (Math.abs(key) - keyOffset)) / (ratio + 1)
}

/** Merges bins in pairs until their number is within the limit. At level 8 the bins of all doubles are within the limit. */
function bound(bucket: Bucket): void {
  while (bucket.bins.size > limits.rollUp.bins) coarsen(bucket)
}

function coarsen(bucket: Bucket): void {
  const bins = new Map<number, number>()
  for (const [key, count] of bucket.bins) bins.set(coarser(key), (bins.get(coarser(key)) ?? 0) + count)
  bucket.bins = bins
  bucket.level++
}

const coarser = (key: number): number =>
  key === 0 ? 0 : Math.sign(key) * (Math.ceil((Math.abs(key) - keyOffset) / 2) + keyOffset)

const finite = (sum: number): number => Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, sum))
