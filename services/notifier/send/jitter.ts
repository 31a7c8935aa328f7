// A share from 0 to 1 from the system's randomness, by which retries of many messages are spread.
import { fromBase62, randomId } from '#shared/text/ids.ts'

const digits = 4

export const systemJitter = (): number => fromBase62(randomId(digits)) / 62 ** digits
