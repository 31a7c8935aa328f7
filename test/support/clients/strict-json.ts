// Strict JSON reader: a key that an object has twice is an error. JSON.parse uses the last value instead.

/** Returns the keys that occur twice in one object of the text. The text must be JSON. */
export function doubledKeys(text: string): string[] {
  JSON.parse(text)
  const doubled: string[] = []
  const objects: (Set<string> | null)[] = []
  for (const [token, name] of text.matchAll(/"((?:[^"\\]|\\.)*)"(?=\s*:)|"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (token === '{') objects.push(new Set())
    else if (token === '[') objects.push(null)
    else if (token === '}' || token === ']') objects.pop()
    else if (name !== undefined) {
      const keys = objects.at(-1)
      if (keys?.has(name)) doubled.push(name)
      keys?.add(name)
    }
  }
  return doubled
}
