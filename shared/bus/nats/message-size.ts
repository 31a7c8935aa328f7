// Size of a message on the bus.

/**
 * Returns true if the texts have at most `bytes` bytes of UTF-8. Only few texts are so long that they must be counted: no UTF-16 unit takes
 * more than 3 bytes.
 */
export function isWithin(bytes: number, ...texts: readonly string[]): boolean {
  const units = texts.reduce((sum, { length }) => sum + length, 0)
  return 3 * units <= bytes || texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) <= bytes
}
