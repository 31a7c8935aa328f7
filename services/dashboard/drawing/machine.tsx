// Drawing of a state machine by its layout. States and arrows get CSS classes; the style sheet gives a class its colour.
import type { LaidArrow, LaidFrame, LaidState, MachineLayout } from '#shared/contracts/session/machine-layout.ts'
import { addPageStyle } from '../parts/page-style.ts'
import { eventWords } from '../words/events.ts'
import { inTone, stateOf } from '../words/statuses.ts'
import type { Life } from './life.ts'
import style from './machine.page.css'

addPageStyle(style)

const lines = { event: 16, about: 15 }
const text = { x: 14, title: 27, about: 43, event: 15, frame: 24, stays: 42 }
const lamp = { x: 18, y: 22, r: 4.5, title: 30 }
const cornerPx = 10

const classes = (...names: (string | false)[]): string => names.filter(Boolean).join(' ')

interface MachineProps {
  layout: MachineLayout
  life: Life
  /** Description of the whole drawing in words. */
  label: string
}

export function Machine({ layout, life, label }: MachineProps) {
  const { width, height, frame, start, states } = layout
  // Draws marked arrows after the others, so that they lie on top.
  const arrows = layout.arrows.toSorted((a, b) => orderOf(a, life) - orderOf(b, life))
  return (
    <svg class="machine" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label}>
      {frame !== null && <Frame frame={frame} />}
      <g class="start">
        <circle cx={start.x} cy={start.y} r="5" />
        <path class="line" d={start.line} />
        <path class="tip" d={start.tip} />
      </g>
      {arrows.map(arrow => (
        <g key={arrow.id} class={arrowClasses(arrow, life)}>
          <path class="line" d={arrow.line} />
          <path class="tip" d={arrow.tip} />
        </g>
      ))}
      {arrows.map(arrow => (
        <Label key={arrow.id} arrow={arrow} life={life} />
      ))}
      {states.map(state => (
        <State key={state.id} state={state} life={life} />
      ))}
    </svg>
  )
}

function orderOf({ id }: LaidArrow, { latest, taken, next }: Life): number {
  if (latest === id) return 3
  return taken.has(id) ? 2 : Number(next.has(id))
}

const arrowClasses = ({ id }: LaidArrow, { latest, taken, next }: Life): string =>
  classes('arrow', taken.has(id) && 'is-taken', latest === id && 'is-latest', next.has(id) && 'is-next')

function Label({ arrow, life }: { arrow: LaidArrow; life: Life }) {
  const { x, y, width, height, events } = arrow.label
  const times = life.taken.get(arrow.id) ?? 0
  return (
    <g class={arrowClasses(arrow, life)}>
      <rect class="label" x={x} y={y} width={width} height={height} rx="6" />
      {events.map((event, i) => (
        <text key={event} class="event" x={x + width / 2} y={y + text.event + i * lines.event}>
          {eventWords(event)}
        </text>
      ))}
      {times > 1 && (
        <text class="times" x={x + width + 3} y={y + text.event}>
          ×{times}
        </text>
      )}
    </g>
  )
}

function State({ state, life }: { state: LaidState; life: Life }) {
  const { id, x, y, width, height, title, about, isFinal } = state
  const isActive = life.active === id
  return (
    <g
      class={classes('state', isFinal && 'is-final', isActive && 'is-active', life.past.has(id) && 'is-past')}
      data-state={id}
      style={inTone(stateOf(id).tone)}
    >
      <rect class="box" x={x} y={y} width={width} height={height} rx={cornerPx} />
      {isFinal && <rect class="inner" x={x + 3.5} y={y + 3.5} width={width - 7} height={height - 7} rx={cornerPx - 3} />}
      <circle class="lamp" cx={x + lamp.x} cy={y + lamp.y} r={lamp.r} />
      <text class="title" x={x + lamp.title} y={y + text.title}>
        {title}
      </text>
      {about.map((line, i) => (
        <text key={line} class="about" x={x + text.x} y={y + text.about + i * lines.about}>
          {line}
        </text>
      ))}
      {isActive && life.due !== null && <Due x={x + text.x} y={y + height - 10} width={width - 2 * text.x} due={life.due} />}
    </g>
  )
}

function Due({ x, y, width, due }: { x: number; y: number; width: number; due: NonNullable<Life['due']> }) {
  return (
    <g class="due">
      <text x={x} y={y - 5}>
        {due.text}
      </text>
      <rect class="rail" x={x} y={y} width={width} height="3" rx="1.5" />
      <rect class="fill" x={x} y={y} width={Math.round(width * due.share)} height="3" rx="1.5" />
    </g>
  )
}

function Frame({ frame: { x, y, width, height, stays } }: { frame: LaidFrame }) {
  return (
    <g class="frame">
      <rect x={x} y={y} width={width} height={height} rx={cornerPx} />
      <text class="frame-title" x={x + text.x} y={y + text.frame}>
        Any open state
      </text>
      {stays.map((event, i) => (
        <text key={event} class="stays" x={x + text.x} y={y + text.stays + i * lines.event}>
          {eventWords(event)}
        </text>
      ))}
    </g>
  )
}
