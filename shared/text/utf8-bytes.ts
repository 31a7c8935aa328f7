// Length of a text in UTF-8. Pure, because a browser loads it too.

const encoder = new TextEncoder()

export const utf8Bytes = (text: string): number => encoder.encode(text).length
