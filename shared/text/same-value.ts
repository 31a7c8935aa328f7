// Equality of JSON values by content. The order of members does not matter. Pure, because a browser loads it too.

export function isSameValue(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const names = Object.keys(one)
  if (names.length !== Object.keys(other).length) return false
  const [left, right] = [new Map(Object.entries(one)), new Map(Object.entries(other))]
  return names.every(name => right.has(name) && isSameValue(left.get(name), right.get(name)))
}
