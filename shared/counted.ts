// A number with its noun, as sentences for people say it.

/** `1 subject`, `2 subjects`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
