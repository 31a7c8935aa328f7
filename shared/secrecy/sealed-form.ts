// Form of a sealed secret, for code that neither seals nor opens one. Pure.

/** Number of characters by which a sealed text names its key. */
export const keyIdLength = 8
export const sealedForm = new RegExp(`^sealed:([\\w-]{${keyIdLength}}):([\\w-]+)$`)

/** Whether a value is a sealed text. */
export const isSealed = (value: unknown): value is string => typeof value === 'string' && sealedForm.test(value)

/** Returns the name of the key that sealed a text; null: it is not sealed. */
export const sealingKeyOf = (value: unknown): string | null =>
  typeof value === 'string' ? (sealedForm.exec(value)?.[1] ?? null) : null

/** Whether a sealed text is anywhere in the value. */
export const holdsSealed = (value: unknown): boolean =>
  isSealed(value) || (typeof value === 'object' && value !== null && Object.values(value).some(holdsSealed))
