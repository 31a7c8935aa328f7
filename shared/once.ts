// What is made at its first use and kept: a start does not wait for it, and a stop that is asked for twice runs once.
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
