// Lines over time, drawn as SVG. The mouse or the arrow keys move a cursor, which shows the values at one instant. The values are also
// available as a table and as CSV.
import { useSignal } from '@preact/signals'
import { instant } from '../data/format.ts'
import { lazy } from '../parts/lazy.tsx'
import { addPageStyle } from '../parts/page-style.ts'
import style from './charts.page.css'
import { instantsOf, isMeasured, linePath, nearest, type Point, timeTicks, valueAt, valueTicks } from './scale.ts'

addPageStyle(style)

const Twin = lazy(() => import('./twin.tsx').then(it => it.Twin))

export interface Series {
  name: string
  points: readonly Point[]
}

export interface Band {
  kind: 'incident' | 'maintenance'
  from: number
  /** End of the incident or the maintenance; null: it has not ended. */
  to: number | null
  words: string
}

export interface ChartProps {
  label: string
  series: readonly Series[]
  bands: readonly Band[]
  /** Horizontal lines with labels. The area between the line and the value `since` is shaded; without `since`, no area is shaded. */
  levels?: readonly { value: number; words: string; since?: number }[]
  from: number
  to: number
  stepMs: number
  /** Returns a value with its unit as text. */
  write(value: number | null): string
  /** Name of the CSV file, without `.csv`. */
  fileName: string
  /** Sentence that replaces a chart without values. */
  empty?: string
}

const margins = { left: 62, right: 24, top: 16, bottom: 26, height: 230 }
/** Size of the drawing. A phone gets a narrower drawing, so that the words in the drawing keep their size. */
const sizeNow = () => ({ ...margins, width: matchMedia('(max-width: 44rem)').matches ? 400 : 900 })

export function Chart(props: ChartProps) {
  const { label, series, bands, empty } = props
  const cursor = useSignal<number | null>(null)
  const isTwinOpen = useSignal(false)
  const instants = instantsOf(series)
  if (!isMeasured(series)) return <p class="dim">{empty ?? 'Nothing was measured in this time.'}</p>
  return (
    <figure class="chart">
      <figcaption>
        <b>{label}</b>
        {series.map(({ name }, index) => (
          <span key={name} class="legend" style={toneOf(index)}>
            {name}
          </span>
        ))}
        {(['incident', 'maintenance'] as const).map(
          kind =>
            bands.some(band => band.kind === kind) && (
              <span key={kind} class="legend band-legend" data-band={kind}>
                {kind}
              </span>
            ),
        )}
      </figcaption>
      <Reader {...props} instants={instants} cursor={cursor} />
      <details
        class="twin"
        onToggle={event => {
          isTwinOpen.value = event.currentTarget.open
        }}
      >
        <summary>As a table</summary>
        {isTwinOpen.value && (
          <Twin
            {...props}
            names={series.map(({ name }) => name)}
            rows={instants.map(at => ({ at, values: valuesAt(series, at) }))}
          />
        )}
      </details>
    </figure>
  )
}

interface Drawn extends ChartProps {
  instants: readonly number[]
}

const moves: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  PageUp: -12,
  PageDown: 12,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

const valuesAt = (series: readonly Series[], at: number) => series.map(({ points }) => valueAt(points, at))

function Reader(props: Drawn & { cursor: { value: number | null } }) {
  const { cursor, instants, label, series, write, from, to } = props
  const size = sizeNow()
  const last = instants.length - 1
  const shown = Math.min(cursor.value ?? last, last)
  const at = instants[shown] ?? to
  const values = valuesAt(series, at)
    .map((value, index) => `${series[index]?.name} ${write(value)}`)
    .join(', ')
  const words = `${instant(at)}: ${values}`
  const onKeyDown = (event: KeyboardEvent) => {
    const by = moves[event.key]
    if (by === undefined) return
    event.preventDefault()
    cursor.value = Math.min(last, Math.max(0, shown + by))
  }
  const onPointerMove = (event: PointerEvent) => {
    if (!(event.currentTarget instanceof Element)) return
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const x = ((event.clientX - left) / width) * size.width
    cursor.value = nearest(instants, from + ((x - size.left) / (size.width - size.left - size.right)) * (to - from))
  }
  return (
    <>
      <div
        class="chart-reader"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={shown}
        aria-valuetext={words}
        onKeyDown={onKeyDown}
        onPointerMove={onPointerMove}
        onPointerLeave={() => {
          cursor.value = null
        }}
      >
        <Drawing {...props} at={cursor.value === null ? null : at} />
      </div>
      <p class="readout" aria-hidden="true">
        {words}
      </p>
    </>
  )
}

function Drawing({ series, bands, levels = [], from, to, stepMs, write, at }: Drawn & { at: number | null }) {
  const values = [...series.flatMap(({ points }) => points), ...levels].map(({ value }) => value ?? 0)
  const ticks = valueTicks(Math.max(...values), 4, Math.min(...values))
  const [least = 0, most = 1] = [ticks[0], ticks.at(-1)]
  const size = sizeNow()
  const bottom = size.height - size.bottom
  const x = (instant: number) => size.left + ((instant - from) / (to - from)) * (size.width - size.left - size.right)
  const y = (value: number) => bottom - ((value - least) / (most - least)) * (bottom - size.top)
  const isLong = to - from > 2 * 24 * 3_600_000
  return (
    <svg viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
      {bands.map(({ kind, from: start, to: end, words }) => (
        <rect
          key={`${kind}${start}`}
          class="band"
          data-band={kind}
          x={x(Math.max(from, start))}
          width={Math.max(1, x(Math.min(to, end ?? to)) - x(Math.max(from, start)))}
          y={size.top}
          height={bottom - size.top}
        >
          <title>{words}</title>
        </rect>
      ))}
      {ticks.map(tick => (
        <g key={tick}>
          <line class="grid" x1={size.left} x2={size.width - size.right} y1={y(tick)} y2={y(tick)} />
          <text text-anchor="end" x={size.left - 8} y={y(tick) + 4}>
            {write(tick)}
          </text>
        </g>
      ))}
      {timeTicks(from, to, size.width / 110).map(tick => (
        <text key={tick} text-anchor="middle" x={x(tick)} y={size.height - 8}>
          {isLong ? dayWords(tick) : hourWords(tick)}
        </text>
      ))}
      {levels.map(({ value, words, since = value }) => (
        <g key={words}>
          <rect
            class="between"
            x={size.left}
            width={size.width - size.left - size.right}
            y={Math.min(y(value), y(since))}
            height={Math.abs(y(value) - y(since))}
          />
          <line class="level" x1={size.left} x2={size.width - size.right} y1={y(value)} y2={y(value)} />
          <text class="level-words" x={size.left + 4} y={y(value) - 4}>
            {words}
          </text>
        </g>
      ))}
      {series.map(({ name, points }, index) => (
        <path key={name} class="line" style={toneOf(index)} d={linePath(points, stepMs, x, y)} />
      ))}
      {at !== null && <line class="cursor" x1={x(at)} x2={x(at)} y1={size.top} y2={bottom} />}
    </svg>
  )
}

const toneOf = (series: number) => ({ '--tone': `var(--series-${(series % 6) + 1})` })

const hourWords = (at: number): string =>
  new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const dayWords = (at: number): string => new Date(at).toLocaleDateString(undefined, { day: 'numeric', month: 'short' })
