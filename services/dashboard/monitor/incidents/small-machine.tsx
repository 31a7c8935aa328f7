// Small drawing of an open incident's machine: states and arrows at the same positions as in the large drawing, without words at the
// arrows. The card around the drawing has the same facts in words, and a link to the incident.
import type { SmallLayout } from '#shared/contracts/session/machine-layout.ts'
import type { MonitorIncident } from '#shared/contracts/session/session-monitor.ts'
import file from '../../machines/small-incident.json' with { type: 'json' }
import { addPageStyle } from '../../parts/page-style.ts'
import { inTone, stateOf } from '../../words/statuses.ts'
import { nextState } from './next-state.ts'
import style from './small-machine.page.css'

addPageStyle(style)

const { width, height, states, arrows } = file as SmallLayout

export function SmallMachine({ incident, verdict }: { incident: MonitorIncident; verdict: string | null }) {
  const active = incident.state
  const next = nextState(incident, verdict)
  return (
    <svg viewBox={`0 0 ${width} ${height}`} class="small-machine" aria-hidden="true">
      {arrows.map(({ from, to, line, tip }) => (
        <g key={from + to} class={from === active && to === next ? 'is-next' : undefined}>
          <path class="line" d={line} />
          <path class="tip" d={tip} />
        </g>
      ))}
      {states.map(({ id, x, y, width, height }) => (
        <g key={id} class={id === active ? 'is-active' : undefined} data-state={id} style={inTone(stateOf(id).tone)}>
          <rect x={x} y={y} width={width} height={height} rx="12" />
          <text x={x + width / 2} y={y + height / 2}>
            {stateOf(id).word}
          </text>
        </g>
      ))}
    </svg>
  )
}
