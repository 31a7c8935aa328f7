// How a short text that people type is stored and looked up: names that look the same are the same.

/** Composed (NFC) and without blanks around it. */
export const plainText = (text: string): string => text.normalize('NFC').trim()
