// Lazy value: created at its first use, then kept. A start need not wait for the value, and a stop that is requested twice runs once.
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
