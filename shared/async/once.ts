// Lazy value: created at its first use, then kept. Also makes a function run only once, such as a stop that is requested twice.
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
