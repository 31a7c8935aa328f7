// Parser for JSON of clients that later responses return unchanged. Numbers keep their text, because a conversion to JavaScript numbers may
// round them.

interface RawJson {
  rawJSON(text: string): unknown
}

/** Returns a value that only `JSON.stringify` can use, because its numbers are not JavaScript numbers. Throws if the text is not JSON. */
export function parseLossless(text: string): unknown {
  return JSON.parse(text, keepNumber as (this: unknown, key: string, value: unknown) => unknown)
}

function keepNumber(_key: string, value: unknown, { source }: { source: string }): unknown {
  return typeof value === 'number' ? (JSON as unknown as RawJson).rawJSON(source) : value
}
