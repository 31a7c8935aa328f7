// Bounds of the labels of Resources. Reference: docs/reference/v3.md, 6.2.

export const isLabelKey = (key: string): boolean => /^[a-z0-9][a-z0-9._-]{0,62}$/.test(key)

export const isLabelValue = (value: unknown): boolean =>
  typeof value === 'string' && value.trim() === value && value.length >= 1 && [...value].length <= 128 && !/\p{Cc}/u.test(value)
