// A message cut to what its far end takes: whole lines go, the least needed first, and the link stays. Pure.
import { type LineKind, type MessageLines, withRest } from './lines.ts'

export interface Room {
  /** Largest number of characters of the title; absent: the title is a part of the text. */
  title?: number
  /** Largest size of the whole. */
  most: number
  /** Returns the size of what is sent. */
  size(said: MessageLines): number
}

/** Lines go in this order, of one kind the last first. */
const leastNeeded: readonly LineKind[] = ['reason', 'silence', 'rule', 'extent', 'end', 'duration']

/** Returns the message with as many lines as fit. If not even the cause fits, it is cut, and then the title. */
export function fitted(said: MessageLines, { title = Number.POSITIVE_INFINITY, most, size }: Room): MessageLines {
  let now: MessageLines = { ...said, title: cutText(said.title, title) }
  const fits = (some: MessageLines) => size(some) <= most
  if (said.of !== undefined) return fittedList(now, said.of, fits)
  for (const kind of leastNeeded) {
    while (!fits(now)) {
      const last = now.lines.findLastIndex(line => line.kind === kind)
      if (last < 0) break
      now = { ...now, lines: now.lines.toSpliced(last, 1) }
    }
  }
  const withCause = (text: string): MessageLines => ({ ...now, lines: [{ kind: 'cause', text }] })
  if (!fits(now)) now = withCause(longest(now.lines[0]?.text ?? '', text => fits(withCause(text))))
  if (!fits(now)) now = { ...now, lines: [] }
  const withTitle = (text: string): MessageLines => ({ ...now, title: text })
  return fits(now) ? now : withTitle(longest(now.title, text => fits(withTitle(text))))
}

/** Returns the digest with as many of its messages as fit, and the number of the others. */
function fittedList(said: MessageLines, of: number, fits: (some: MessageLines) => boolean): MessageLines {
  const listed = said.lines.filter(({ kind }) => kind === 'listed')
  const withSome = (count: number): MessageLines => ({ ...said, lines: withRest(listed.slice(0, count), of) })
  let count = listed.length
  while (count > 0 && !fits(withSome(count))) count--
  return withSome(count)
}

/** Returns the longest beginning of a text that fits; empty if none does. */
function longest(text: string, fits: (text: string) => boolean): string {
  let [least, most] = [0, [...text].length]
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (fits(cutText(text, middle))) least = middle
    else most = middle - 1
  }
  return least === 0 ? '' : cutText(text, least)
}

/** Returns a text of at most so many code points, with `…` for the rest. A cut never divides an escape such as `\\*` or `&lt;`. */
export function cutText(text: string, most: number): string {
  const points = [...text]
  if (points.length <= most) return text
  const kept = points
    .slice(0, Math.max(0, most - 1))
    .join('')
    .replace(/&[a-z]*$/, '')
  const backslashes = /\\*$/.exec(kept)?.[0].length ?? 0
  return `${backslashes % 2 === 1 ? kept.slice(0, -1) : kept}…`
}
