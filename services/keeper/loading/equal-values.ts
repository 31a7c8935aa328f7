// Equal values of documents, kept in memory once. Most of a subject's texts and objects are the same as in many other subjects, such as a
// rule's policy or the list of locations. A website's subject takes 0.7 kB instead of 1.7 kB.

/**
 * Replaces each text and each object of `document` by the value at the same place of `like`, if the two are equal. Documents in memory are
 * never changed in place, so that they may have an object in common. Returns whether all values are equal.
 */
export function shareEqualValues(document: object, like: object): boolean {
  const own = document as Record<string, unknown>
  const other = like as Record<string, unknown>
  const names = Object.keys(own)
  let isEqual = Array.isArray(own) === Array.isArray(other) && names.length === Object.keys(other).length
  for (const name of names) {
    const value = own[name]
    // A member of the prototype is no member of the document.
    const similar = Object.hasOwn(other, name) ? other[name] : undefined
    if (typeof value === 'string' && value === similar) own[name] = similar
    else if (isObject(value) && isObject(similar) && shareEqualValues(value, similar)) own[name] = similar
    else isEqual &&= value === similar && Object.hasOwn(other, name)
  }
  return isEqual
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
