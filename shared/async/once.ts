// Lazy value: created at its first use, then kept. It also serves functions that must run only once, such as a stop that is requested
// twice.
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
