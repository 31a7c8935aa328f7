// Check of a parsed JSON value. Pure: browsers load this file too.

/** Returns true for an object that is neither null nor a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
