// SVG paths of an arrow: a line with round corners, and a separate path for its tip.

export interface Point {
  x: number
  y: number
}

const cornerPx = 9
const tipPx = { length: 8, notch: 6, halfWidth: 4, gap: 0.5 }

/** Rounds to one decimal, which is finer than a screen. */
export const rounded = (n: number): number => Math.round(n * 10) / 10

const at = ({ x, y }: Point) => `${rounded(x)} ${rounded(y)}`

/** Returns the paths for at least two points. The tip ends at the last point, and the line inside the tip. */
export function drawnLine(points: readonly Point[]): { line: string; tip: string } {
  const [before, end] = points.slice(-2) as [Point, Point]
  const length = distance(before, end) || 1
  const [dx, dy] = [(end.x - before.x) / length, (end.y - before.y) / length]
  const back = (by: number, aside = 0): Point => ({ x: end.x - dx * by - dy * aside, y: end.y - dy * by + dx * aside })
  const { gap, notch, halfWidth } = tipPx
  const wing = gap + tipPx.length
  const corners = [back(gap), back(wing, halfWidth), back(gap + notch), back(wing, -halfWidth)]
  // Relative steps: all tips of one direction have the same text, which compresses to nothing.
  const steps = corners.slice(1).map(({ x, y }, i) => at({ x: x - corners[i]!.x, y: y - corners[i]!.y }))
  const tip = `M${at(corners[0]!)}l${steps.join(' ')}z`
  return { line: roundCorners([...points.slice(0, -1), back(notch)]), tip }
}

function roundCorners(points: readonly Point[]): string {
  const [first, ...others] = points as [Point, ...Point[]]
  const corners = others.slice(0, -1).map((corner, i) => {
    const [before, after] = [points[i] as Point, others[i + 1] as Point]
    const radius = Math.min(cornerPx, distance(before, corner) / 2, distance(corner, after) / 2)
    return `L${at(towards(corner, before, radius))}Q${at(corner)} ${at(towards(corner, after, radius))}`
  })
  return `M${at(first)}${corners.join('')}L${at(others.at(-1) as Point)}`
}

const distance = (a: Point, b: Point) => Math.hypot(b.x - a.x, b.y - a.y)

function towards(from: Point, to: Point, by: number): Point {
  const share = by / (distance(from, to) || 1)
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share }
}
