// Laid-out drawing of a state machine with its texts, in pixels. `npm run layouts` creates it, the dashboard draws it.

interface Area {
  x: number
  y: number
  width: number
  height: number
}

export interface LaidState extends Area {
  /** Name of the state in the machine. */
  id: string
  title: string
  /** Description of the state, broken into lines. */
  about: string[]
  isFinal: boolean
}

/** One arrow for each pair of states with a transition. `from` is the name of the machine for transitions that every open state has. */
export interface LaidArrow {
  /** `<from>-><to>` */
  id: string
  from: string
  to: string
  /** SVG path of the line, up to its tip. */
  line: string
  /** SVG path of the tip. The drawing has no SVG markers, because their ids clash if a page shows two drawings. */
  tip: string
  label: Area & { events: string[] }
}

/** Box for the events that every open state handles. */
export interface LaidFrame extends Area {
  /** Events that do not change the state. */
  stays: string[]
}

export interface MachineLayout {
  machine: string
  direction: 'right' | 'down'
  width: number
  height: number
  states: LaidState[]
  arrows: LaidArrow[]
  frame: LaidFrame | null
  start: { x: number; y: number; line: string; tip: string }
}

/** The drawing in the card of an open incident: states and the arrows between them. */
export interface SmallLayout extends Pick<MachineLayout, 'width' | 'height'> {
  states: Pick<LaidState, 'id' | keyof Area>[]
  arrows: Pick<LaidArrow, 'from' | 'to' | 'line' | 'tip'>[]
}
