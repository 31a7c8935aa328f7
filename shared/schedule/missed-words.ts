// Beginnings of the evidence of a missed run; an instant follows. Evidence, messages and causes read them. Reference: docs/reference/v3.md, 4.17.
export const missedWords = { expected: 'expected ', started: 'started ' } as const
