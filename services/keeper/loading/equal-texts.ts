// Equal texts of documents, kept in memory once. Most texts of a subject are words that many subjects have, such as the key of a rule or an
// explanation. With 10,000 monitors this saves 6 of 31 MB.

/** Replaces each text of `document` by the text at the same place of `like`, if the two are equal. */
export function shareEqualTexts(document: object, like: object): void {
  const own = document as Record<string, unknown>
  for (const [name, other] of Object.entries(like)) {
    const value = own[name]
    if (typeof value === 'string') {
      if (value === other) own[name] = other
    } else if (isObject(value) && isObject(other)) shareEqualTexts(value, other)
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
