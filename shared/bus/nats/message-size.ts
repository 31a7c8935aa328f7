// Size of a message on the bus.

/** Returns true if the texts have at most `bytes` bytes of UTF-8. Counts only long texts: a UTF-16 unit has at most 3 bytes. */
export function isWithin(bytes: number, ...texts: readonly string[]): boolean {
  const units = texts.reduce((sum, { length }) => sum + length, 0)
  return 3 * units <= bytes || texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) <= bytes
}
