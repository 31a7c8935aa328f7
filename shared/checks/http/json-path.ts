// Singular paths into a JSON value (RFC 9535, 2.3.5.1): `$.items[0]['name']`. Such a path leads to one value at most, so that reading it costs
// as many steps as it has segments. Pure.

type Segment = string | number

/** A segment: `.name`, `[0]`, `[-1]`, `['name']` or `["name"]`, possibly after blanks. */
const segment =
  /[ \t\r\n]*(?:\.([A-Za-z_\u{80}-\u{10ffff}][\w\u{80}-\u{10ffff}]*)|\[(?:(0|-?[1-9]\d{0,15})|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\])/uy

/** Returns the names and indexes of a path; null: the text is no such path. */
export function readJsonPath(text: string): readonly Segment[] | null {
  if (text[0] !== '$') return null
  const segments: Segment[] = []
  for (segment.lastIndex = 1; segment.lastIndex < text.length; ) {
    const [, name, index, single, double] = segment.exec(text) ?? []
    const read = name ?? (index === undefined ? nameIn(double ?? doubled(single)) : Number(index))
    if (read === null || (typeof read === 'number' && !Number.isSafeInteger(read))) return null
    segments.push(read)
  }
  return segments
}

/** Marks that mean something else between single quotation marks than between double ones, as the latter have them. `\x` is no escape. */
const marks: Readonly<Record<string, string>> = { "\\'": "'", '\\"': '\\x', '"': '\\"' }

/** Returns what is between single quotation marks as it is written between double ones. */
const doubled = (single: string | undefined): string | undefined => single?.replace(/\\.|"/gu, mark => marks[mark] ?? mark)

/** Returns the name that is written between double quotation marks as JSON has it; null: none is. */
function nameIn(double: string | undefined): string | null {
  try {
    return JSON.parse(`"${double ?? '"'}"`)
  } catch {
    return null
  }
}

/** Returns the value to which the segments lead; undefined: there is none. */
export function valueAt(value: unknown, segments: readonly Segment[]): unknown {
  let at = value
  for (const each of segments) {
    const key = typeof each === 'number' && each < 0 && Array.isArray(at) ? at.length + each : each
    const leads = typeof each === 'number' ? Array.isArray(at) : typeof at === 'object' && at !== null && !Array.isArray(at)
    if (!leads || !Object.hasOwn(at as object, key)) return undefined
    at = (at as Record<Segment, unknown>)[key]
  }
  return at
}
