// JSON that belongs to a client and is given back as it came: numbers keep their text, which a JavaScript number would round.

interface RawJson {
  rawJSON(text: string): unknown
}

/** A value for `JSON.stringify` alone: its numbers are opaque. Throws where the text is not JSON. */
export function parseLossless(text: string): unknown {
  return JSON.parse(text, keepNumber as (this: unknown, key: string, value: unknown) => unknown)
}

function keepNumber(_key: string, value: unknown, { source }: { source: string }): unknown {
  return typeof value === 'number' ? (JSON as unknown as RawJson).rawJSON(source) : value
}
