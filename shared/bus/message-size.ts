// How large a message is on the bus.

/** Whether the UTF-8 of these texts has so many bytes at most. Few texts are so long that they must be counted: no unit takes more than 3. */
export function isWithin(bytes: number, ...texts: readonly string[]): boolean {
  const units = texts.reduce((sum, { length }) => sum + length, 0)
  return 3 * units <= bytes || texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) <= bytes
}
