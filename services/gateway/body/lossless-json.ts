// Parser for client JSON that is returned unchanged. Numbers keep their text, because a JavaScript number would round it.

interface RawJson {
  rawJSON(text: string): unknown
}

/** Returns a value for `JSON.stringify` only: its numbers are opaque. Throws if the text is not JSON. */
export function parseLossless(text: string): unknown {
  return JSON.parse(text, keepNumber as (this: unknown, key: string, value: unknown) => unknown)
}

function keepNumber(_key: string, value: unknown, { source }: { source: string }): unknown {
  return typeof value === 'number' ? (JSON as unknown as RawJson).rawJSON(source) : value
}
